package synth

// A sign tells where a disease of Clinic is and which symptom it shows: "" for nowhere in
// particular and for none, anywhere for a place that is drawn.
type sign struct{ disease, site, symptom string }

const anywhere = "*"

var signs = []sign{
	{"common-cold", "", "cough"},
	{"influenza", "", "fever"},
	{"pneumonia", "chest", "fever"},
	{"acute-bronchitis", "chest", "cough"},
	{"sinusitis", "head", "headache"},
	{"tonsillitis", "neck", "fever"},
	{"urinary-tract-infection", "", "abdominal-pain"},
	{"gastroenteritis", "abdomen", "nausea"},
	{"otitis-media", "head", "fever"},
	{"skin-infection", anywhere, "swelling"},
	{"type-1-diabetes", "", "thirst"},
	{"type-2-diabetes", "", "thirst"},
	{"obesity", "", "shortness-of-breath"},
	{"hypothyroidism", "neck", "weakness"},
	{"iron-deficiency-anaemia", "", "weakness"},
	{"hypertension", "", "headache"},
	{"heart-failure", "chest", "shortness-of-breath"},
	{"atrial-fibrillation", "chest", "palpitations"},
	{"coronary-artery-disease", "chest", "chest-pain"},
	{"stroke", "head", "dizziness"},
	{"asthma", "chest", "shortness-of-breath"},
	{"obstructive-lung-disease", "chest", "cough"},
	{"breast-cancer", "breast", "swelling"},
	{"colon-cancer", "abdomen", "abdominal-pain"},
	{"lung-cancer", "chest", "cough"},
	{"skin-cancer", anywhere, "rash"},
	{"depression", "", "weakness"},
	{"anxiety-disorder", "", "palpitations"},
	{"sleep-disorder", "", "weakness"},
	{"osteoarthritis", "knee", "joint-pain"},
	{"rheumatoid-arthritis", "hand", "joint-pain"},
	{"osteoporosis", "back", "back-pain"},
	{"broken-wrist", "wrist", "swelling"},
	{"sprained-ankle", "ankle", "swelling"},
	{"reflux", "chest", "chest-pain"},
	{"gallstones", "abdomen", "abdominal-pain"},
	{"chronic-kidney-disease", "", "swelling"},
	{"kidney-stones", "back", "back-pain"},
	{"migraine", "head", "headache"},
	{"eczema", anywhere, "rash"},
}

// signOf returns the sign of a disease; one that is not of Clinic is anywhere and shows
// anything.
func signOf(disease Coding) sign {
	if disease.System != ClinicURL {
		return sign{"", anywhere, anywhere}
	}
	for _, s := range signs {
		if s.disease == disease.Code {
			return s
		}
	}
	return sign{}
}

// shown returns the code for what a sign names: one that was chosen for the element or is
// anywhere is drawn.
func (d *draft) shown(name, path string, b branch) Coding {
	if name == anywhere || len(d.g.codes[path]) > 0 {
		return d.drawn(path, b)
	}
	return d.g.clinic.codes[name]
}

// treatments are diseases that medications are for, beside those of acute and chronic.
var treatments = []struct{ medication, disease string }{
	{"gliclazide-60", "type-2-diabetes"},
	{"amlodipine-5", "hypertension"},
	{"bisoprolol-5", "coronary-artery-disease"},
	{"omeprazole-20", "reflux"},
	{"prednisolone-5", "rheumatoid-arthritis"},
	{"methotrexate-2-5", "rheumatoid-arthritis"},
	{"iron-syrup", "iron-deficiency-anaemia"},
	{"vitamin-d-20000", "osteoporosis"},
}

// treated returns a disease that a medication of Clinic is for; "" for another one.
func treated(medication string) string {
	for i := range treatments {
		if treatments[i].medication == medication {
			return treatments[i].disease
		}
	}
	for i := range chronic {
		if chronic[i].drug == medication {
			return chronic[i].code
		}
	}
	for i := range acute {
		if acute[i].drug == medication {
			return acute[i].code
		}
	}
	return ""
}
