package synth

// A sign is the body site and the symptom of a disease of Clinic. "" means no particular site or
// no symptom; anywhere means that one is drawn.
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

// signOf returns the sign of a disease. Diseases outside Clinic can have any site and symptom.
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

// signCode returns the code for a part of a sign. It is drawn if codes were chosen for the
// element or the part is anywhere.
func (d *draft) signCode(name, path string, b branch) Coding {
	if name == anywhere || len(d.g.codes[path]) > 0 {
		return d.drawn(path, b)
	}
	return d.g.clinic.codes[name]
}

// treatments are the diseases that medications treat, in addition to those in acuteIllnesses and
// chronicIllnesses.
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

// treated returns a disease that a medication of Clinic treats, or "".
func treated(medication string) string {
	for i := range treatments {
		if treatments[i].medication == medication {
			return treatments[i].disease
		}
	}
	for i := range chronicIllnesses {
		if chronicIllnesses[i].drug == medication {
			return chronicIllnesses[i].code
		}
	}
	for i := range acuteIllnesses {
		if acuteIllnesses[i].drug == medication {
			return acuteIllnesses[i].code
		}
	}
	return ""
}
