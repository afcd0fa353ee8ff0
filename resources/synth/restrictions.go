package synth

// restrictions are the codes of Clinic that fit only some patients: of one sex (f, m; 0 for
// both), in an age range in years, since a year.
var restrictions = []struct {
	code                      string
	sex                       byte
	minAge, maxAge, sinceYear int
}{
	{"antenatal-visit", 'f', 16, 48, 0},
	{"cervical-smear", 'f', 18, 80, 0},
	{"breast-biopsy", 'f', 18, 120, 0},
	{"prostate-biopsy", 'm', 40, 120, 0},
	{"mammography", 'f', 30, 120, 0},
	{"breast-cancer", 'f', 25, 120, 0},
	{"colon-cancer", 0, 30, 120, 0},
	{"lung-cancer", 0, 35, 120, 0},
	{"skin-cancer", 0, 18, 120, 0},
	{"type-2-diabetes", 0, 16, 120, 0},
	{"hypertension", 0, 18, 120, 0},
	{"hyperlipidaemia", 0, 18, 120, 0},
	{"heart-failure", 0, 30, 120, 0},
	{"atrial-fibrillation", 0, 30, 120, 0},
	{"coronary-artery-disease", 0, 30, 120, 0},
	{"stroke", 0, 25, 120, 0},
	{"obstructive-lung-disease", 0, 35, 120, 0},
	{"osteoarthritis", 0, 35, 120, 0},
	{"osteoporosis", 0, 45, 120, 0},
	{"rheumatoid-arthritis", 0, 16, 120, 0},
	{"gallstones", 0, 18, 120, 0},
	{"kidney-stones", 0, 18, 120, 0},
	{"chronic-kidney-disease", 0, 18, 120, 0},
	{"depression", 0, 10, 120, 0},
	{"migraine", 0, 6, 120, 0},
	{"combined-six-vaccine", 0, 0, 6, 0},
	{"tuberculosis-vaccine", 0, 0, 6, 0},
	{"measles-vaccine", 0, 1, 120, 0},
	{"varicella-vaccine", 0, 1, 120, 0},
	{"yellow-fever-vaccine", 0, 1, 120, 0},
	{"influenza-injection", 0, 1, 120, 0},
	{"influenza-spray", 0, 2, 17, 0},
	{"papillomavirus-vaccine", 0, 9, 26, 0},
	{"zoster-vaccine", 0, 50, 120, 0},
	{"coronavirus-vaccine", 0, 5, 120, 2021},
}

// suits reports whether a code of Clinic fits the patient at a time.
func (l *life) suits(code string, at moment) bool {
	if l.born == 0 {
		return true
	}
	age := l.born.years(at.day())
	for i := range restrictions {
		if s := &restrictions[i]; s.code == code {
			year, _, _ := at.day().civil()
			return (s.sex == 0 || (s.sex == 'f') == l.female) && age >= s.minAge && age <= s.maxAge && year >= s.sinceYear
		}
	}
	return age >= 10 || treated(code) == "" || !regimenOf(code).solid()
}

// suitableCode returns the main code of a resource, like about, but one that fits the patient.
func (d *draft) suitableCode(path string, b branch, at moment) Coding {
	code := d.about(path, b)
	if d.facts.code.Code != "" || len(d.g.codes[path]) > 0 {
		return code
	}
	l := d.life()
	for range 50 {
		if l.suits(code.Code, at) {
			break
		}
		code = d.drawn(path, b)
	}
	return code
}
