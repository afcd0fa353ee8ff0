package synth

// A life is when somebody lived and as what.
type life struct {
	gender string // of administrative-gender
	female bool   // what the names are of
	born   day
	died   moment // 0 for the living
}

// A person is what is the same wherever a patient is told of.
type person struct {
	life
	*people
	nameParts
	home    place
	marital Coding // of maritalStatus, or none
}

// drawLife draws a life.
func (s *stream) drawLife() life {
	l := life{gender: s.code(&patientGender)}
	l.female = l.gender == "female" || l.gender != "male" && s.percent(50)
	l.born = birth(asOf.day() - day(s.age()))
	l.died = s.death(l.born)
	return l
}

// last is the day before somebody died, or before asOf.
func (l *life) last() day {
	if l.died != 0 {
		return l.died.day() - 1
	}
	return asOf.day() - 1
}

// age is how old somebody is, or became.
func (l *life) age() int { return l.born.years(l.last()) }

// person draws a person.
func (s *stream) person() person {
	p := person{life: s.drawLife(), people: s.people()}
	p.nameParts = s.named(p.people, p.female)
	p.home = s.place()
	p.marital = s.maritalStatus(p.born.years(asOf.day()))
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

// birth returns a date of birth that is not the zero day, which stands for none: somebody born
// on 1970-01-01 is born on the next day.
func birth(d day) day {
	if d == 0 {
		return 1
	}
	return d
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

// patient returns the person that Patient n of the same seed is.
func (g *Generator) patient(n uint64) person {
	s := newStream(g.seed, hash("Patient"), n)
	return s.person()
}

// lifeOf returns the life of Patient n of the same seed.
func (g *Generator) lifeOf(n uint64) life {
	s := newStream(g.seed, hash("Patient"), n)
	return s.drawLife()
}

// wed reports whether somebody may have a spouse or a partner.
func (p *person) wed() bool {
	switch p.marital.Code {
	case "M", "T", "P", "L":
		return true
	}
	return false
}

// maritalStatus draws the marital status of somebody of an age: nothing is said of many
// children, and nothing but that they never were married of the others.
func (s *stream) maritalStatus(age int) Coding {
	if age < 18 {
		if s.percent(60) {
			return Coding{}
		}
		return patientMaritalStatus.find("S")
	}
	if s.percent(5) {
		return Coding{}
	}
	status := s.draw(&patientMaritalStatus)
	if age < 25 && status.Code != "M" && status.Code != "T" && status.Code != "U" {
		return patientMaritalStatus.find("S")
	}
	return status
}

// patient returns the person that the patient of a resource is: of a story that with its
// number. Known is false when the options name the patient.
func (d *draft) patient() (p person, known bool) {
	if d.g.refs[rolePatient] != "" || !d.told && d.facts.refs[rolePatient] != "" {
		return person{}, false
	}
	return d.g.patient(d.patientNumber()), true
}

// life returns the life of the patient of a resource: that of the story, or that of the patient
// that Generator makes; zero when nothing is known of it.
func (d *draft) life() life {
	if d.told || !d.g.ofPatients || d.given(rolePatient) != "" {
		return life{female: d.facts.female, born: d.facts.born, died: d.facts.died}
	}
	return d.g.lifeOf(d.patientNumber())
}

// span returns the days on which something may have happened to somebody: in the last five
// years, or in the last five before death.
func (l *life) span() (first, last day) {
	last = asOf.day() - 1
	first = last - 5*365
	if l.died != 0 { // what begins then may take its time
		last = max(l.died.day()-100, l.born+(l.died.day()-l.born)/2)
		first = last - 5*365
	}
	if l.born != 0 {
		first = max(first, l.born+1)
	}
	return first, last
}
