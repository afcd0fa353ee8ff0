package synth

// bodyStream is the stream that heights and weights of patients are drawn from.
var bodyStream = hash("body")

// sized returns the height, weight or body mass index of a patient. The three agree with each
// other at every age. ok is false for other measurements and for patients of whom nothing is
// known.
func (d *draft) sized(m *measurement, at moment) (value int, ok bool) {
	if m.code != "body-height" && m.code != "body-weight" && m.code != "body-mass-index" {
		return 0, false
	}
	l := d.life()
	if l.born == 0 {
		return 0, false
	}
	s := newStream(d.g.seed, bodyStream, d.patientNumber())
	height := s.around(1620, 1980)
	if l.female {
		height = s.around(1500, 1780)
	}
	weight := s.around(190, 330) * height * height / 1_000_000
	if age := int(at.day() - l.born); l.born.years(at.day()) < 18 {
		weight = min(childWeight(age)*s.around(88, 112)/100, weight)
		height = min(childHeight(age)*(1730+height)/3460, height)
	}
	switch weight = weight * d.between(98, 102) / 100; m.code {
	case "body-height":
		return height, true
	case "body-weight":
		return weight, true
	}
	return weight * 1_000_000 / (height * height), true
}

// childWeight returns the usual weight at an age in days, in units of 100 g.
func childWeight(age int) int {
	if age < 365 {
		return 35 + age*65/365
	}
	return 100 + (age-365)*min(24+age/400, 36)/365
}

// childHeight returns the usual height at an age in days, in millimetres.
func childHeight(age int) int {
	if age < 365 {
		return 500 + age*250/365
	}
	return 750 + (age-365)*64/365
}
