package synth

import (
	"cmp"
	"slices"
)

// A story is the history of a patient until death, or until asOf.
//
// It is planned first: the times and purposes of all visits. Then the visits are written in
// chronological order. Each visit is complete before the next one is considered.
type story struct {
	stream
	person
	end          moment // everything happens before
	recordStart  day    // first day of the records
	featured     bool   // one of the patients who have every resource type
	visits       []visit
	chronicCases []chronicCase

	patient, practitioner, organization, location string
	encounter                                     string // reference to the current encounter

	now          moment // current time
	earliestNext moment // no visit can begin before
}

// A purpose is the reason for a visit.
type purpose int

const (
	purposeBirth purpose = iota
	purposeChildCheck
	purposeCheck
	purposeVaccination
	purposeIllness
	purposeDiagnosis
	purposeFollowUp
	purposeEnrolment
)

// A visit is a planned visit. index selects the illness, check-up or year.
type visit struct {
	at         moment
	purpose    purpose
	index      int
	occurrence int // for repeated visits
}

// Years that records go back.
const (
	minRecordYears = 3
	maxRecordYears = 6
)

// writeStory writes the story of the current patient.
func (t *storyWriter) writeStory() {
	t.plan()
	t.relatives()
	s := &t.story
	for i := range s.visits {
		v := &s.visits[i]
		if s.now = max(v.at, s.earliestNext); s.now > s.end-5*hour {
			break
		}
		t.perform(v)
		s.encounter = ""
	}
	if s.died != 0 && s.percent(60) {
		t.death()
	}
}

func (t *storyWriter) plan() {
	s := &t.story
	*s = story{stream: newStream(t.p.seed, populationStream, t.patient), visits: s.visits[:0], chronicCases: s.chronicCases[:0]}
	s.person = t.p.makers[kindPatient].patient(t.patient)
	s.end = asOf
	if s.died != 0 {
		s.end = s.died
	}
	s.featured = t.p.featured(t.patient)
	s.patient = "Patient/" + t.p.makers[kindPatient].id(t.patient)
	s.practitioner = t.refOf(kindPractitioner, t.patient/roles[rolePractitioner].share)
	s.organization = t.refOf(kindOrganization, t.patient/roles[roleOrganization].share)
	s.location = t.refOf(kindLocation, t.patient/roles[roleLocation].share)
	s.recordStart = max(s.born, s.end.day()-day(s.between(minRecordYears*365, maxRecordYears*365)))
	s.planPrevention()
	s.planIllnesses()
	s.planChronic()
	t.planStudy()
	slices.SortFunc(s.visits, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.purpose, b.purpose), cmp.Compare(a.index, b.index), cmp.Compare(a.occurrence, b.occurrence))
	})
}

// refOf returns the reference to resource n of a kind.
func (t *storyWriter) refOf(k kind, n uint64) string { return kindNames[k] + "/" + t.p.makers[k].id(n) }

// visit plans a visit on a day in working hours, if the day is within the story.
func (s *story) visit(on day, what purpose, n, turn int) {
	if on >= s.recordStart && on > s.born && on < s.end.day() {
		s.visits = append(s.visits, visit{on.at(s.between(8, 16), 5*s.below(12)), what, n, turn})
	}
}

// ageOn returns the age in years on a day.
func (s *story) ageOn(on day) int { return s.born.years(on) }

// perform writes a visit.
func (t *storyWriter) perform(v *visit) {
	switch v.purpose {
	case purposeBirth:
		t.birth()
	case purposeChildCheck:
		t.childCheck(v.index)
	case purposeCheck:
		t.check(v.index)
	case purposeVaccination:
		t.vaccinationVisit()
	case purposeIllness:
		t.illness(&acuteIllnesses[v.index])
	case purposeDiagnosis:
		t.diagnosis(&t.story.chronicCases[v.index])
	case purposeFollowUp:
		t.followUp(&t.story.chronicCases[v.index], v.occurrence)
	case purposeEnrolment:
		t.enrolment()
	}
}

// advance moves the current time forward by some minutes and returns it.
func (s *story) advance(least, most int) moment {
	s.now += moment(s.between(least, most) * minute)
	return s.now
}

// meet writes an encounter that begins now and makes it the current one. minutes is its length.
// With diagnosed set, the next resource is its diagnosis. An encounter that would last beyond
// asOf is still in progress.
func (t *storyWriter) meet(class, typ, reason string, minutes int, diagnosed bool) {
	s := &t.story
	f := t.begin(kindEncounter)
	f.refs[roleEncounter] = ""
	f.at, f.status, f.kind = s.now, "finished", class
	f.until = s.now + moment(minutes*minute)
	switch {
	case f.until < s.end:
	case s.died == 0:
		f.status, f.until = "in-progress", 0
	default:
		f.until = s.end - moment(s.between(1, 5)*minute)
	}
	s.earliestNext = (cmp.Or(f.until, asOf).day() + 1).at(s.between(7, 9), 5*s.below(12))
	f.code = t.pick(kindEncounter, "Encounter.type", typ)
	f.secondCode = t.pick(kindEncounter, "Encounter.reasonCode", reason)
	if diagnosed {
		f.results = []string{t.storyRef(kindCondition, t.count)}
	}
	s.encounter = t.write()
}

// pick returns the Coding for a code of Clinic, or one of the codes chosen for the element. It is
// zero for "".
func (t *storyWriter) pick(k kind, path, code string) Coding {
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
func (t *storyWriter) death() {
	s := &t.story
	begun := s.end - moment(s.between(3*60, 9*24*60)*minute)
	if s.now = max(begun, s.earliestNext); s.now > s.end-2*hour || s.now.day() <= s.born {
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
	s.advance(5, 20)
	t.measure(0, "heart-rate", "oxygen-saturation")
	s.encounter = ""
}

// relatives writes RelatedPersons: the parents of children, or family and friends of adults.
func (t *storyWriter) relatives() {
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

func (t *storyWriter) relative(relationship string) {
	f := t.begin(kindRelatedPerson)
	f.kind = relationship
	t.write()
}
