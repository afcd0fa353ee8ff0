package synth

import (
	"cmp"
	"slices"
)

// A story is what happens to a patient until death, or until asOf.
//
// It is planned first: when the patient sees somebody, and what for. Then the plan is told
// in the order of time: what one day brings is written before the next day is looked at.
type story struct {
	stream
	person
	end      moment // everything happens before
	from     day    // when the records begin
	featured bool   // one of those that every type occurs with
	visits   []visit
	ills     []ill

	patient, practitioner, organization, location string
	encounter                                     string // the one at hand

	now  moment // the time at hand
	free moment // nobody is seen before
}

// An act is what a visit is for.
type act int

const (
	actBirth act = iota
	actChildCheck
	actCheck
	actVaccination
	actIllness
	actDiagnosis
	actFollowUp
	actEnrolment
)

// A visit is planned: when it is, what for, and which one: of the illnesses, of the check-ups
// of children.
type visit struct {
	at   moment
	act  act
	n    int
	turn int // which time
}

// recordYears are how far records go back, at least and at most.
const (
	fewestYears = 3
	mostYears   = 6
)

// tell tells the story of the patient at hand.
func (t *teller) tell() {
	t.plan()
	t.relatives()
	s := &t.story
	for i := range s.visits {
		v := &s.visits[i]
		if s.now = max(v.at, s.free); s.now > s.end-5*hour {
			break
		}
		t.perform(v)
		s.encounter = ""
	}
	if s.died != 0 && s.percent(60) {
		t.death()
	}
}

// plan plans the story.
func (t *teller) plan() {
	s := &t.story
	*s = story{stream: newStream(t.p.seed, populationStream, t.patient), visits: s.visits[:0], ills: s.ills[:0]}
	s.person = t.p.makers[kindPatient].patient(t.patient)
	s.end = asOf
	if s.died != 0 {
		s.end = s.died
	}
	s.featured = t.p.featured(t.patient)
	s.patient = "Patient/" + t.p.makers[kindPatient].id(t.patient)
	s.practitioner = t.of(kindPractitioner, t.patient/roles[rolePractitioner].share)
	s.organization = t.of(kindOrganization, t.patient/roles[roleOrganization].share)
	s.location = t.of(kindLocation, t.patient/roles[roleLocation].share)
	s.from = max(s.born, s.end.day()-day(s.between(fewestYears*365, mostYears*365)))
	s.planPrevention()
	s.planIllnesses()
	s.planChronic()
	t.planStudy()
	slices.SortFunc(s.visits, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.act, b.act), cmp.Compare(a.n, b.n), cmp.Compare(a.turn, b.turn))
	})
}

// of returns the reference to a resource with a number of its type.
func (t *teller) of(k kind, n uint64) string { return kindNames[k] + "/" + t.p.makers[k].id(n) }

// visit plans a visit on a day, in working hours, if that is in the time of the story.
func (s *story) visit(on day, what act, n, turn int) {
	if on >= s.from && on > s.born && on < s.end.day() {
		s.visits = append(s.visits, visit{on.at(s.between(8, 16), 5*s.below(12)), what, n, turn})
	}
}

// ageOn returns the age in years on a day.
func (s *story) ageOn(on day) int { return s.born.years(on) }

// perform tells of a visit.
func (t *teller) perform(v *visit) {
	switch v.act {
	case actBirth:
		t.birth()
	case actChildCheck:
		t.childCheck(v.n)
	case actCheck:
		t.check(v.n)
	case actVaccination:
		t.vaccinationVisit()
	case actIllness:
		t.illness(&acute[v.n])
	case actDiagnosis:
		t.diagnosis(&t.story.ills[v.n])
	case actFollowUp:
		t.followUp(&t.story.ills[v.n], v.turn)
	case actEnrolment:
		t.enrolment()
	}
}

// later lets some minutes go by and gives the time.
func (s *story) later(least, most int) moment {
	s.now += moment(s.between(least, most) * minute)
	return s.now
}

// meet writes an encounter that begins now and makes it the one at hand: its class and type,
// its reason, its length in minutes, and what is diagnosed in it, if that is what is written
// next. Encounters that last until asOf have not ended.
func (t *teller) meet(class, typ, reason string, minutes int, diagnosed bool) {
	s := &t.story
	f := t.begin(kindEncounter)
	f.refs[roleEncounter] = ""
	f.at, f.status, f.kind = s.now, "finished", class
	f.until = s.now + moment(minutes*minute)
	switch {
	case f.until < s.end:
	case s.died == 0:
		f.status, f.until, f.open = "in-progress", 0, true
	default:
		f.until = s.end - moment(s.between(1, 5)*minute)
	}
	s.free = (cmp.Or(f.until, asOf).day() + 1).at(s.between(7, 9), 5*s.below(12))
	f.code = t.pick(kindEncounter, "Encounter.type", typ)
	f.more = t.pick(kindEncounter, "Encounter.reasonCode", reason)
	if diagnosed {
		f.results = []string{t.name(kindCondition, t.count)}
	}
	s.encounter = t.write()
}

// pick returns the code of Clinic, or one of those that were chosen for the element; none for "".
func (t *teller) pick(k kind, path, code string) Coding {
	if code == "" {
		return Coding{}
	}
	g := t.p.makers[k]
	if codes := g.codes[path]; len(codes) > 0 {
		return codes[t.story.below(len(codes))]
	}
	return g.clinic.codes[code]
}

// death writes the encounter in which the patient dies.
func (t *teller) death() {
	s := &t.story
	begun := s.end - moment(s.between(3*60, 9*24*60)*minute)
	if s.now = max(begun, s.free); s.now > s.end-2*hour || s.now.day() <= s.born {
		return
	}
	f := t.begin(kindEncounter)
	f.refs[roleEncounter] = ""
	f.at, f.until, f.status = s.now, s.end, "finished"
	f.kind, f.code = "IMP", t.pick(kindEncounter, "Encounter.type", "urgent-admission")
	if s.end-s.now < 12*hour {
		f.kind, f.code = "EMER", t.pick(kindEncounter, "Encounter.type", "emergency-visit")
	}
	s.encounter = t.write()
	s.later(5, 20)
	t.measure(0, "heart-rate", "oxygen-saturation")
	s.encounter = ""
}
