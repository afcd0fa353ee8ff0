package synth

// A design is the arms of a study. Each subject is in one of them.
type design struct {
	title         string
	observational bool // nobody is treated for the study
	arms          []arm
}

type arm struct{ name, kind, description string }

var designs = []design{
	{"A new treatment compared with a placebo in patients with ", false, []arm{
		{"Treatment", "experimental", "The new treatment, once a day."},
		{"Placebo", "placebo-comparator", "Tablets that look alike."},
	}},
	{"A new treatment compared with the usual one in patients with ", false, []arm{
		{"New treatment", "experimental", "The new treatment beside what is usual."},
		{"Usual treatment", "active-comparator", "The usual treatment."},
		{"No treatment", "no-intervention", "Watching and waiting."},
	}},
	{"A device compared with one that is switched off in patients with ", false, []arm{
		{"Device on", "experimental", "The device is worn for eight hours a day."},
		{"Device off", "sham-comparator", "The device is worn but switched off."},
	}},
	{"Two doses compared in patients with ", false, []arm{
		{"High dose", "experimental", "The full dose."},
		{"Low dose", "active-comparator", "Half of the dose."},
		{"Register", "other", "Those who take neither are followed in a register."},
	}},
	{"What becomes of patients with ", true, []arm{
		{"Treated early", "other", "Those who were treated within a week."},
		{"Treated late", "other", "Those who were treated later."},
		{"Not treated", "no-intervention", "Those who were not treated."},
	}},
}

// A study holds the properties that a ResearchStudy and its subjects share. They follow from the
// reference to the study.
type study struct {
	stream
	design *design
	status string
	start  moment // planned start if the study has not begun
	end    moment // planned end if the study has not ended
}

// studyOf returns the study for a reference. status is the one set by a story, or "".
func studyOf(reference, status string) study {
	s := study{stream: newStream(hash(reference))}
	s.design = &designs[s.below(len(designs))]
	if s.status = s.code(&studyStatus); status != "" {
		s.status = status
	}
	length := moment(s.between(360, 900) * oneDay)
	switch {
	case !s.begun():
		s.start = (asOf.day() + day(s.between(20, 200))).at(8, 0)
	case s.ended():
		s.start = (asOf.day() - day(s.between(1_000, 2_500))).at(8, 0)
	default:
		s.start = (asOf.day() - day(s.between(100, 350))).at(8, 0)
	}
	s.end = s.start + length
	return s
}

// category draws a category that fits the design of the study.
func (s *study) category(d *draft) Coding {
	for {
		if c := d.draw(&studyCategory); (c.Code == "observational") == s.design.observational {
			return c
		}
	}
}

// begun reports whether anyone has taken part.
func (s *study) begun() bool {
	switch s.status {
	case "approved", "disapproved", "in-review", "withdrawn":
		return false
	}
	return true
}

// ended reports whether participation is over.
func (s *study) ended() bool {
	return s.status == "completed" || s.status == "administratively-completed"
}

// stopped reports whether the study was stopped or suspended, which needs a reason.
func (s *study) stopped() bool {
	switch s.status {
	case "administratively-completed", "closed-to-accrual", "closed-to-accrual-and-intervention",
		"temporarily-closed-to-accrual", "temporarily-closed-to-accrual-and-intervention", "withdrawn":
		return true
	}
	return false
}
