package synth

// A person is what is the same wherever a patient is told of.
type person struct {
	*people
	nameParts
	gender string // of administrative-gender
	female bool   // what the names are of
	born   day
	died   moment // 0 for the living
}

// person draws a person. Of a story (its date of birth is settled) birth, death and sex are
// what they are there.
func (s *stream) person(f *facts) person {
	p := person{female: f.female, born: f.born, died: f.died, gender: "male"}
	if f.born == 0 {
		p.gender = s.code(&patientGender)
		p.female = p.gender == "female" || p.gender != "male" && s.percent(50)
		p.born = asOf.day() - day(s.age())
		p.died = s.death(p.born)
	} else if f.female {
		p.gender = "female"
	}
	p.people = s.people()
	p.nameParts = s.named(p.people, p.female)
	return p
}

// people draws a people.
func (s *stream) people() *people {
	at := s.below(100) // the sum of the weights
	for i := range peoples {
		if at -= peoples[i].weight; at < 0 {
			return &peoples[i]
		}
	}
	return &peoples[0]
}

// age draws an age in days, from 60 on: nearly as many at every age up to 75, fewer later.
func (s *stream) age() int {
	if s.percent(85) {
		return s.between(60, 75*365)
	}
	return s.between(75*365, 98*365)
}

// death draws when somebody died, 0 for the living: the older, the likelier, never in the
// first year of life.
func (s *stream) death(born day) moment {
	age := born.years(asOf.day())
	chance := 1
	switch {
	case age >= 80:
		chance = 35
	case age >= 65:
		chance = 12
	case age >= 40:
		chance = 4
	case age < 2:
		chance = 0
	}
	if !s.percent(chance) {
		return 0
	}
	lived := int(asOf.day() - born)
	return (born + day(max(366, s.between(lived*6/10, lived-1)))).at(s.below(24), s.below(60))
}

// patient gives the person that Patient n of the same seed is.
func (g *Generator) patient(n uint64) person {
	s := newStream(g.seed, hash("Patient"), n)
	return s.person(&facts{})
}
