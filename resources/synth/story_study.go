package synth

// featured reports whether a patient is one of those that every type occurs with: of twenty
// in a row the first who is grown up and alive.
func (p *Population) featured(patient uint64) bool {
	const row = 20
	for n := patient - patient%row; n < patient; n++ {
		if p.eligible(n) {
			return false
		}
	}
	return p.eligible(patient)
}

// eligible reports whether a patient can take part in studies: one who is alive and has been
// grown up for some years.
func (p *Population) eligible(patient uint64) bool {
	l := p.makers[kindPatient].lifeOf(patient)
	return l.died == 0 && l.born.years(asOf.day()) >= 30
}

// studyStream is the stream that decides who takes part in a study.
var studyStream = hash("study")

// takesPart reports whether a patient takes part in the study of its number.
func (p *Population) takesPart(patient uint64) bool {
	s := newStream(p.seed, studyStream, patient)
	return s.percent(6) && p.eligible(patient) || p.featured(patient)
}

// planStudy plans that the patient is asked to take part in a study.
func (t *teller) planStudy() {
	if !t.p.takesPart(t.patient) {
		return
	}
	s := &t.story
	in := studyOf(t.of(kindResearchStudy, t.patient/PatientsPerStudy), "")
	at := min(in.start, asOf-90*oneDay) + moment(s.between(0, 60)*oneDay)
	s.visits = append(s.visits, visit{at, actEnrolment, 0, 0})
	s.from = min(s.from, at.day())
}

// enrolment writes the part that the patient takes in a study.
func (t *teller) enrolment() {
	s := &t.story
	f := t.begin(kindResearchSubject)
	f.refs[roleStudy] = t.of(kindResearchStudy, t.patient/PatientsPerStudy)
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

// subjects writes the Group of those who take part in a study, up to the last patient there is.
func (t *teller) subjects(study uint64) {
	var members []string
	for n := study * PatientsPerStudy; n < min((study+1)*PatientsPerStudy, t.p.end); n++ {
		if t.p.takesPart(n) {
			members = append(members, t.of(kindPatient, n))
		}
	}
	in := studyOf(t.of(kindResearchStudy, study), "")
	f := t.numbered(kindGroup, study)
	f.kind, f.results = "person", members
	f.at = min(in.start, asOf-90*oneDay)
	f.refs[roleOrganization] = t.of(kindOrganization, study/roles[roleOrganization].share)
	t.d.told = true
	t.write()
}
