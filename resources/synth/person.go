package synth

// A life is the sex of a person and the dates of birth and death.
type life struct {
	gender string // from the list patientGender
	female bool   // determines the given name
	born   day
	died   moment // 0 for the living
}

// A person is everything about a patient that is the same in all resources.
type person struct {
	life
	*culture
	nameParts
	home    address
	marital Coding // from patientMaritalStatus, or zero
}

func (s *stream) drawLife() life {
	l := life{gender: s.code(&patientGender)}
	l.female = l.gender == "female" || l.gender != "male" && s.percent(50)
	l.born = birth(asOf.day() - day(s.age()))
	l.died = s.death(l.born)
	return l
}

// lastDay returns the day before death, or before asOf.
func (l *life) lastDay() day {
	if l.died != 0 {
		return l.died.day() - 1
	}
	return asOf.day() - 1
}

// age returns the age in years, at death for the dead.
func (l *life) age() int { return l.born.years(l.lastDay()) }

func (s *stream) person() person {
	p := person{life: s.drawLife(), culture: s.culture()}
	p.nameParts = s.named(p.culture, p.female)
	p.home = s.place()
	p.marital = s.maritalStatus(p.born.years(asOf.day()))
	return p
}

func (s *stream) culture() *culture {
	at := s.below(100) // the sum of the weights
	for i := range cultures {
		if at -= cultures[i].weight; at < 0 {
			return &cultures[i]
		}
	}
	return &cultures[0]
}

// birth avoids the zero day, which means "no date": a person born on 1970-01-01 is born a day
// later.
func birth(d day) day {
	if d == 0 {
		return 1
	}
	return d
}

// age draws an age in days, at least 60. Ages up to 75 years are about equally frequent, higher
// ones less so.
func (s *stream) age() int {
	if s.percent(85) {
		return s.between(60, 75*365)
	}
	return s.between(75*365, 98*365)
}

// death draws the time of death, 0 for the living. Older people are more likely to have died, and
// nobody dies in the first year of life.
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

// patient returns the person of Patient n of the same seed.
func (g *Generator) patient(n uint64) person {
	s := newStream(g.seed, hash("Patient"), n)
	return s.person()
}

// lifeOf returns the life of Patient n of the same seed.
func (g *Generator) lifeOf(n uint64) life {
	s := newStream(g.seed, hash("Patient"), n)
	return s.drawLife()
}

// wed reports whether the person may have a spouse or partner.
func (p *person) wed() bool {
	switch p.marital.Code {
	case "M", "T", "P", "L":
		return true
	}
	return false
}

// maritalStatus draws the marital status for an age. For children it is often unknown, and
// otherwise "never married".
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

// patient returns the person that a resource is about. In a story this is the person with the
// number of the patient. known is false if an option sets the patient.
func (d *draft) patient() (p person, known bool) {
	if d.g.refs[rolePatient] != "" || !d.inStory && d.facts.refs[rolePatient] != "" {
		return person{}, false
	}
	return d.g.patient(d.patientNumber()), true
}

// life returns the life of the patient of a resource: the one of the story, or the one of the
// generated patient. It is zero if nothing is known.
func (d *draft) life() life {
	if d.inStory || !d.g.ofPatients || d.given(rolePatient) != "" {
		return life{female: d.facts.female, born: d.facts.born, died: d.facts.died}
	}
	return d.g.lifeOf(d.patientNumber())
}

// span returns the days on which something may have happened to a person: in the last five years,
// or in the last five before death.
func (l *life) span() (first, last day) {
	last = asOf.day() - 1
	first = last - 5*365
	if l.died != 0 { // leave time for events to finish before death
		last = max(l.died.day()-100, l.born+(l.died.day()-l.born)/2)
		first = last - 5*365
	}
	if l.born != 0 {
		first = max(first, l.born+1)
	}
	return first, last
}
