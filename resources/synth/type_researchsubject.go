package synth

// stages are the progress of a subject by status. The statuses possible in a study that has not
// begun come first.
var stages = map[string]int{
	"potential-candidate": stageAsked, "candidate": stageAsked, "screening": stageAsked,
	"ineligible": stageRefused, "not-registered": stageRefused,
	"eligible": stageChosen, "pending-on-study": stageAssigned, "on-study": stageAssigned,
	"on-study-intervention": stageTreated, "on-study-observation": stageTreated, "follow-up": stageTreated,
	"off-study": stageLeft, "withdrawn": stageLeft,
}

const (
	stageAsked = iota
	stageRefused
	stageChosen
	stageAssigned
	stageTreated
	stageLeft
)

// researchSubject writes a ResearchSubject (section 2.15). It reads the facts status, at and
// until. In a study that has not begun, no subject is beyond being chosen; in one that has ended,
// no subject is still active.
func researchSubject(d *draft) {
	in := d.ref(roleStudy)
	s := studyOf(in, "")
	status := d.status(&subjectStatus)
	for d.facts.status == "" && !s.allows(stages[status]) {
		status = d.code(&subjectStatus)
	}
	stage := stages[status]
	d.identifier("subject")
	d.text("status", status)
	individual := d.participation(&s, stage)
	d.reference("study", in)
	d.reference("individual", individual)
	if stage >= stageAssigned {
		n := d.below(len(s.design.arms))
		d.text("assignedArm", s.design.arms[n].name)
		if stage >= stageTreated {
			if d.percent(15) { // a crossover
				n = (n + 1) % len(s.design.arms)
			}
			d.text("actualArm", s.design.arms[n].name)
		}
	}
	d.refer("consent", roleConsent)
}

// allows reports whether a subject of the study can be at a stage.
func (s *study) allows(stage int) bool {
	switch {
	case !s.begun():
		return stage <= stageChosen
	case s.ended():
		return stage == stageLeft || stage == stageRefused
	}
	return true
}

// participation writes the period, which starts with the first contact, before the study begins
// or soon after, and ends with the participation. It returns the patient: the one set by the
// story or an option, or the one with the subject's number or one before.
func (d *draft) participation(s *study, stage int) string {
	start, end := d.facts.at, d.facts.until
	individual, last := d.ref(rolePatient), min(s.end, asOf)
	if start == 0 {
		start = min(s.start, asOf-90*oneDay) + moment(d.between(0, 60)*oneDay)
		if !d.inStory && d.g.refs[rolePatient] == "" {
			n, l := d.aliveSubject(start)
			individual = d.other("Patient", n)
			start = max(start, (l.born+1).at(9, 0))
			if l.died != 0 {
				start, last, stage = min(start, l.died-2*oneDay), l.died, stageLeft
			}
		}
		if stage == stageLeft || stage == stageRefused {
			end = start + moment(d.between(1, max(1, int((last-start)/oneDay))))*oneDay
		}
	}
	d.period("period", start, end)
	return individual
}

// aliveSubject returns the number and life of a patient who is alive at start: the one with the
// subject's number or one of the fifty before. If all have died, it returns the one with the
// subject's number.
func (d *draft) aliveSubject(start moment) (uint64, life) {
	for i := range min(d.number, 50) + 1 {
		if l := d.g.lifeOf(d.number - i); l.died == 0 && l.born < start.day() {
			return d.number - i, l
		}
	}
	return d.number, d.g.lifeOf(d.number)
}
