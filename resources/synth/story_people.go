package synth

// relatives writes related persons: parents of children, the family of others.
func (t *teller) relatives() {
	s := &t.story
	age := s.ageOn(s.end.day())
	switch {
	case age < 18:
		t.relative("MTH")
		if s.percent(50) {
			t.relative("FTH")
		}
	case s.featured || s.percent(35):
		switch {
		case age >= 65 && s.percent(50):
			t.relative(s.one([]string{"SON", "DAU"}))
		case s.wed() && s.percent(80):
			t.relative(s.one([]string{"SPS", "DOMPART"}))
		default:
			t.relative(s.one([]string{"BRO", "SIS", "FRND", "NBOR"}))
		}
	}
}

func (t *teller) relative(relationship string) {
	f := t.begin(kindRelatedPerson)
	f.kind = relationship
	t.write()
}
