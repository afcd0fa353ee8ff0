package synth

// childChecks are the check-ups of children: the age in days and the vaccines given.
var childChecks = []struct {
	age      int
	vaccines []string
}{
	{61, []string{"combined-six-vaccine", "pneumococcal-vaccine"}},
	{122, []string{"combined-six-vaccine"}},
	{365, []string{"measles-vaccine", "meningococcal-vaccine"}},
	{550, []string{"measles-vaccine", "varicella-vaccine"}},
	{4 * 365, nil},
	{6 * 365, []string{"tetanus-vaccine"}},
	{10 * 365, nil},
	{13 * 365, []string{"papillomavirus-vaccine"}},
	{16 * 365, []string{"tetanus-vaccine"}},
}

// planPrevention plans birth, check-ups and vaccinations.
func (s *story) planPrevention() {
	if s.recordStart == s.born {
		s.visits = append(s.visits, visit{s.born.at(s.below(19), 5*s.below(12)), purposeBirth, 0, 0})
	}
	for n := range childChecks {
		if s.percent(85) {
			s.visit(s.born+day(childChecks[n].age+s.below(20)), purposeChildCheck, n, 0)
		}
	}
	turn := 0
	for on := max(s.recordStart, s.born+18*365) + day(s.between(10, 500)); on < s.end.day(); on += day(s.between(650, 1450)) {
		s.visit(on, purposeCheck, turn, 0)
		turn++
	}
	chance := 15
	if s.ageOn(s.end.day()) >= 60 {
		chance = 45
	}
	first, _, _ := s.recordStart.civil()
	last, _, _ := s.end.day().civil()
	for year := first; year <= last; year++ {
		if on := dayOf(year, 10, 1) + day(s.below(60)); s.ageOn(on) >= 1 && s.percent(chance) {
			s.visit(on, purposeVaccination, year, 0)
		}
	}
}

// birth writes the birth of the patient.
func (t *storyWriter) birth() {
	s := &t.story
	t.meet("IMP", "planned-admission", "", s.between(30, 80)*60, false)
	s.advance(10, 30)
	t.measure(0, "body-weight", "body-height")
}

// childCheck writes a check-up of a child with its vaccinations.
func (t *storyWriter) childCheck(n int) {
	s := &t.story
	t.meet("AMB", "health-check", "screening", s.between(65, 90), false)
	s.advance(5, 10)
	t.measure(0, "body-weight", "body-height")
	for _, vaccine := range childChecks[n].vaccines {
		t.vaccinate(vaccine)
	}
}

// check writes a check-up of an adult.
func (t *storyWriter) check(n int) {
	s := &t.story
	age := s.ageOn(s.now.day())
	t.meet("AMB", "health-check", "screening", s.between(65, 110), false)
	s.advance(5, 10)
	t.measure(0, bloodPressure)
	if s.percent(50) {
		t.measure(0, "heart-rate")
	}
	if n == 0 && s.percent(40) {
		t.ask("health-intake")
	}
	if s.percent(25) {
		t.laboratory(panels[s.below(len(panels))].code, 0)
	}
	switch {
	case age >= 45 && s.percent(18):
		t.pathology("colon-biopsy")
	case s.female && age >= 25 && s.percent(30):
		t.pathology("cervical-smear")
	case s.female && age >= 50 && s.percent(30):
		t.image("mammography", Coding{})
	}
}

// vaccinationVisit writes an autumn vaccination.
func (t *storyWriter) vaccinationVisit() {
	s := &t.story
	year, _, _ := s.now.day().civil()
	t.meet("AMB", "vaccination-visit", "prevention", s.between(65, 75), false)
	s.advance(5, 15)
	t.vaccinate("influenza-injection")
	if year >= 2021 && s.ageOn(s.now.day()) >= 18 && s.percent(40) {
		t.vaccinate("coronavirus-vaccine")
	}
}

// vaccinate writes an Immunization. One in twenty is not done.
func (t *storyWriter) vaccinate(vaccine string) {
	s := &t.story
	f := t.begin(kindImmunization)
	f.at = s.advance(2, 8)
	f.code = t.pick(kindImmunization, "Immunization.vaccineCode", vaccine)
	t.write()
}
