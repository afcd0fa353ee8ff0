package synth

import "slices"

// chronicCase is a chronic illness of the patient.
type chronicCase struct {
	*chronicIllness
	found        day // date of the diagnosis
	lastFollowUp int // number of the last follow-up
	disease      Coding
	conditionRef string // reference, set at the diagnosis
	deviceRef    string // reference to the device, if any
}

// planIllnesses plans acute illnesses.
func (s *story) planIllnesses() {
	first, _, _ := s.recordStart.civil()
	last, _, _ := s.end.day().civil()
	for year := first; year <= last; year++ {
		age := year - first + s.ageOn(s.recordStart)
		chance := 23
		if age < 6 || age >= 65 {
			chance = 28
		}
		if !s.percent(chance) {
			continue
		}
		n := s.below(len(acuteIllnesses))
		for !s.catches(&acuteIllnesses[n], age) {
			n = s.below(len(acuteIllnesses))
		}
		s.visit(dayOf(year, 1, 1)+day(s.below(365)), purposeIllness, n, year)
	}
}

// catches decides by frequency, age and sex whether the patient gets an illness.
func (s *story) catches(a *acuteIllness, age int) bool {
	return age >= a.minAge && age <= a.maxAge && (a.sex == 0 || s.female) && s.below(20) < a.weight
}

// planChronic plans chronic illnesses with their diagnosis and follow-ups.
func (s *story) planChronic() {
	age := s.ageOn(s.end.day())
	for i := range chronicIllnesses {
		c := &chronicIllnesses[i]
		if has := s.below(1000) < c.prevalence && age > c.minAge && (c.sex == 0 || s.female); !has && (!s.featured || i > 0) {
			continue
		}
		found := s.born + day(s.between(min(age, c.minAge)*365, min(age, c.maxAge)*365))
		found = max(found, s.recordStart+day(s.between(10, 200)))
		s.chronic(c, found)
	}
}

// chronic plans one chronic illness.
func (s *story) chronic(c *chronicIllness, found day) {
	n := len(s.chronicCases)
	last := 0
	for on := found + day(s.between(60, 250)); on < s.end.day()-1; on += day(s.between(320, 700)) {
		last++
		s.visit(on, purposeFollowUp, n, last)
	}
	s.chronicCases = append(s.chronicCases, chronicCase{chronicIllness: c, found: found, lastFollowUp: last})
	s.visit(found, purposeDiagnosis, n, 0)
}

// illness writes an acute illness.
func (t *storyWriter) illness(a *acuteIllness) {
	s := &t.story
	class, typ, minutes := "AMB", "first-consultation", s.between(70, 110)
	switch {
	case a.stayHours > 24:
		class = "IMP"
	case a.stayHours > 0:
		class = "EMER"
	case s.percent(10):
		class, typ = "VR", "telephone-consultation"
	}
	if a.stayHours > 0 {
		typ, minutes = a.encounterType, a.stayHours*s.between(50, 90)
	}
	t.meet(class, typ, a.reason, minutes, true)
	code := t.pick(kindCondition, "Condition.code", a.code)
	f := t.begin(kindCondition)
	f.at, f.code, f.status, f.kind = s.advance(2, 8), code, "active", "encounter-diagnosis"
	if until := f.at + moment(s.between(a.minDays, a.maxDays))*oneDay; until < s.end {
		f.until, f.status = until, "resolved"
	}
	t.write()
	level := 0
	if s.percent(75) {
		level = 1
	}
	for _, v := range a.vitals {
		t.measure(levelOf(v, level), v)
	}
	if a.questionnaire != "" && s.percent(40) {
		t.ask(a.questionnaire)
	}
	if a.panel != "" && s.percent(60) {
		t.laboratory(a.panel, level)
	}
	if a.imaging != "" {
		t.image(a.imaging, code)
	}
	if a.drug != "" && s.swallows(a.drug) && s.percent(80) {
		t.prescribe(a.drug, code, "completed")
	}
	if a.rehabilitation != "" {
		t.request("rehabilitation", t.pick(kindServiceRequest, "ServiceRequest.code", a.rehabilitation), code)
	}
	if a.supply != "" {
		t.supply(a.supply)
	}
}

// decreasing are the measurements that illnesses lower.
var decreasing = []string{"oxygen-saturation", "filtration-rate", "hdl-cholesterol", "free-thyroxine", "ferritin", "vitamin-d", "vitamin-b12", "haemoglobin", "haematocrit"}

// levelOf returns the level of a measurement in an illness. Most values rise; those in decreasing
// fall.
func levelOf(code string, level int) int {
	if slices.Contains(decreasing, code) {
		return -level
	}
	return level
}

// swallows reports whether the patient is old enough for a medication. Small children take no
// tablets or capsules.
func (s *story) swallows(drug string) bool {
	return !regimenOf(drug).solid() || s.ageOn(s.now.day()) >= 10
}

// prescribe writes a MedicationRequest.
func (t *storyWriter) prescribe(drug string, reason Coding, status string) {
	f := t.begin(kindMedicationRequest)
	f.at, f.status, f.secondCode = t.story.advance(2, 6), status, reason
	f.code = t.pick(kindMedicationRequest, "MedicationRequest.medicationCodeableConcept", drug)
	t.write()
}

// supply writes a SupplyRequest.
func (t *storyWriter) supply(item string) {
	f := t.begin(kindSupplyRequest)
	f.at, f.status = t.story.advance(2, 4), "completed"
	f.code = t.pick(kindSupplyRequest, "SupplyRequest.itemCodeableConcept", item)
	f.secondCode = supplyReason.find("patient-care")
	t.write()
}

// diagnosis writes the diagnosis of a chronic illness.
func (t *storyWriter) diagnosis(i *chronicCase) {
	s := &t.story
	t.meet("AMB", "first-consultation", "", s.between(80, 120), true)
	i.disease = t.pick(kindCondition, "Condition.code", i.code)
	f := t.begin(kindCondition)
	f.at, f.code, f.status, f.kind = s.advance(2, 8), i.disease, "active", "problem-list-item"
	if s.percent(i.healPercent) && i.lastFollowUp > 1 {
		f.status, f.until = "remission", s.end-moment(s.between(20, 60)*oneDay)
	}
	i.conditionRef = t.write()
	t.examine(i, 1)
	t.treat(i, 0)
	if i.imaging != "" {
		t.image(i.imaging, i.disease)
	}
	if i.pathology != "" {
		t.pathology(i.pathology)
	}
	if i.referral != "" && s.percent(50) {
		t.request("referral", t.pick(kindServiceRequest, "ServiceRequest.code", i.referral), i.disease)
	}
	if s.featured {
		t.image("x-ray-chest", i.disease)
		t.vaccinate("influenza-injection")
		t.ask("health-intake")
	}
	if i.device != "" && (s.featured || s.percent(60)) {
		f := t.begin(kindDevice)
		f.at, f.status = s.now-moment(s.between(60, 400))*oneDay, "active"
		if s.died != 0 {
			f.status = "inactive"
		}
		f.code = t.pick(kindDevice, "Device.type", i.device)
		i.deviceRef = t.write()
		if i.supply != "" {
			t.supply(i.supply)
		}
	}
}

// followUp writes a follow-up visit for a chronic illness.
func (t *storyWriter) followUp(i *chronicCase, turn int) {
	s := &t.story
	if i.conditionRef == "" { // not diagnosed yet
		return
	}
	class, typ := "AMB", "follow-up-consultation"
	if s.percent(12) {
		class, typ = "VR", "telephone-consultation"
	}
	t.meet(class, typ, "follow-up-of-treatment", s.between(65, 100), false)
	s.advance(2, 5)
	t.examine(i, s.below(2))
	t.treat(i, turn)
	if i.deviceRef != "" && i.supply != "" && s.percent(60) {
		t.supply(i.supply)
	}
}

// examine writes the examinations for an illness.
func (t *storyWriter) examine(i *chronicCase, level int) {
	for _, v := range i.vitals {
		f := t.observe("vital-signs", v, t.story.advance(1, 3))
		f.level = levelOf(v, level)
		if i.deviceRef != "" && v == bloodPressure {
			f.refs[roleDevice] = i.deviceRef
		}
		t.write()
	}
	if i.questionnaire != "" {
		t.ask(i.questionnaire)
	}
	if i.panel != "" && t.story.percent(50) {
		t.laboratory(i.panel, level)
	}
}

// treat writes the medication for an illness. It is prescribed again at every second visit. The
// last prescription stays active.
func (t *storyWriter) treat(i *chronicCase, turn int) {
	s := &t.story
	if i.drug == "" || turn%2 != 0 {
		return
	}
	status := "completed"
	if turn+2 > i.lastFollowUp && s.died == 0 {
		status = "active"
	}
	t.prescribe(i.drug, i.disease, status)
}
