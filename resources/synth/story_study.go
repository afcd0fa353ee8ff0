package synth

// featured reports whether a patient is one of those who have every resource type: the first
// eligible one of twenty consecutive patients.
func (p *Population) featured(patient uint64) bool {
	const row = 20
	for n := patient - patient%row; n < patient; n++ {
		if p.eligible(n) {
			return false
		}
	}
	return p.eligible(patient)
}

// eligible reports whether a patient can take part in studies: alive and at least 30 years old.
func (p *Population) eligible(patient uint64) bool {
	l := p.makers[kindPatient].lifeOf(patient)
	return l.died == 0 && l.born.years(asOf.day()) >= 30
}

// studyStream is the stream that decides who takes part in a study.
var studyStream = hash("study")

// takesPart reports whether a patient takes part in the study for its number.
func (p *Population) takesPart(patient uint64) bool {
	s := newStream(p.seed, studyStream, patient)
	return s.percent(6) && p.eligible(patient) || p.featured(patient)
}

// planStudy plans the enrolment of the patient in a study.
func (t *storyWriter) planStudy() {
	if !t.p.takesPart(t.patient) {
		return
	}
	s := &t.story
	in := studyOf(t.refOf(kindResearchStudy, t.patient/PatientsPerStudy), "")
	at := min(in.start, asOf-90*oneDay) + moment(s.between(0, 60)*oneDay)
	s.visits = append(s.visits, visit{at, purposeEnrolment, 0, 0})
	s.recordStart = min(s.recordStart, at.day())
}

// enrolment writes the participation of the patient in a study.
func (t *storyWriter) enrolment() {
	s := &t.story
	f := t.begin(kindResearchSubject)
	f.refs[roleStudy] = t.refOf(kindResearchStudy, t.patient/PatientsPerStudy)
	in := studyOf(f.refs[roleStudy], "")
	f.at, f.status = s.now, s.code(&subjectStatus)
	for !in.allows(stages[f.status]) {
		f.status = s.code(&subjectStatus)
	}
	if stage := stages[f.status]; stage == stageLeft || stage == stageRefused {
		last := min(in.end, asOf)
		f.until = f.at + moment(s.between(1, max(int((last-f.at)/oneDay), 1)))*oneDay
		f.until = min(f.until, asOf-hour)
	}
	t.write()
}

// subjects writes the Group of participants of a study, up to the last patient of the population.
func (t *storyWriter) subjects(study uint64) {
	var members []string
	for n := study * PatientsPerStudy; n < min((study+1)*PatientsPerStudy, t.p.end); n++ {
		if t.p.takesPart(n) {
			members = append(members, t.refOf(kindPatient, n))
		}
	}
	in := studyOf(t.refOf(kindResearchStudy, study), "")
	f := t.numbered(kindGroup, study)
	f.kind, f.results = "person", members
	f.at = min(in.start, asOf-90*oneDay)
	f.refs[roleOrganization] = t.refOf(kindOrganization, study/roles[roleOrganization].share)
	t.d.inStory = true
	t.write()
}
