package synth

import "slices"

// ill is an illness of the patient that stays.
type ill struct {
	*chronicRow
	at        day // when it is found
	last      int // number of the last follow-up
	disease   Coding
	condition string // reference, once it is found
	given     string // reference to the device, if there is one
}

// planIllnesses plans illnesses that come and go.
func (s *story) planIllnesses() {
	first, _, _ := s.from.civil()
	last, _, _ := s.end.day().civil()
	for year := first; year <= last; year++ {
		age := year - first + s.ageOn(s.from)
		chance := 23
		if age < 6 || age >= 65 {
			chance = 28
		}
		if !s.percent(chance) {
			continue
		}
		n := s.below(len(acute))
		for !s.catches(&acute[n], age) {
			n = s.below(len(acute))
		}
		s.visit(dayOf(year, 1, 1)+day(s.below(365)), actIllness, n, year)
	}
}

// catches decides about an illness that was drawn: by how often it is, age and sex.
func (s *story) catches(a *acuteRow, age int) bool {
	return age >= a.from && age <= a.to && (a.only == 0 || s.female) && s.below(20) < a.often
}

// planChronic plans illnesses that stay: when they are found, and when the patient comes to
// be seen again.
func (s *story) planChronic() {
	age := s.ageOn(s.end.day())
	for i := range chronic {
		c := &chronic[i]
		if has := s.below(1000) < c.often && age > c.from && (c.only == 0 || s.female); !has && (!s.featured || i > 0) {
			continue
		}
		found := s.born + day(s.between(min(age, c.from)*365, min(age, c.to)*365))
		found = max(found, s.from+day(s.between(10, 200)))
		s.chronic(c, found)
	}
}

// chronic plans one of them.
func (s *story) chronic(c *chronicRow, found day) {
	n := len(s.ills)
	last := 0
	for on := found + day(s.between(60, 250)); on < s.end.day()-1; on += day(s.between(320, 700)) {
		last++
		s.visit(on, actFollowUp, n, last)
	}
	s.ills = append(s.ills, ill{chronicRow: c, at: found, last: last})
	s.visit(found, actDiagnosis, n, 0)
}

// illness writes an illness that comes and goes.
func (t *teller) illness(a *acuteRow) {
	s := &t.story
	class, typ, minutes := "AMB", "first-consultation", s.between(70, 110)
	switch {
	case a.stay > 24:
		class = "IMP"
	case a.stay > 0:
		class = "EMER"
	case s.percent(10):
		class, typ = "VR", "telephone-consultation"
	}
	if a.stay > 0 {
		typ, minutes = a.typ, a.stay*s.between(50, 90)
	}
	t.meet(class, typ, a.reason, minutes, true)
	code := t.pick(kindCondition, "Condition.code", a.code)
	f := t.begin(kindCondition)
	f.at, f.code, f.status, f.kind = s.later(2, 8), code, "active", "encounter-diagnosis"
	if until := f.at + moment(s.between(a.least, a.most))*oneDay; until < s.end {
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
	if a.form != "" && s.percent(40) {
		t.ask(a.form)
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
	if a.after != "" {
		t.request("rehabilitation", t.pick(kindServiceRequest, "ServiceRequest.code", a.after), code)
	}
	if a.supply != "" {
		t.supply(a.supply)
	}
}

// falling are the measurements that illnesses make less of.
var falling = []string{"oxygen-saturation", "filtration-rate", "hdl-cholesterol", "free-thyroxine", "ferritin", "vitamin-d", "vitamin-b12", "haemoglobin", "haematocrit"}

// levelOf returns the level of a measurement in an illness: less of some, of everything else
// more.
func levelOf(code string, level int) int {
	if slices.Contains(falling, code) {
		return -level
	}
	return level
}

// swallows reports whether a patient is old enough for a medication: small children take no
// tablets and capsules.
func (s *story) swallows(drug string) bool {
	return !regimenOf(drug).solid() || s.ageOn(s.now.day()) >= 10
}

// prescribe writes a request for a medication.
func (t *teller) prescribe(drug string, reason Coding, status string) {
	f := t.begin(kindMedicationRequest)
	f.at, f.status, f.more = t.story.later(2, 6), status, reason
	f.code = t.pick(kindMedicationRequest, "MedicationRequest.medicationCodeableConcept", drug)
	t.write()
}

// supply writes a request for supplies.
func (t *teller) supply(item string) {
	f := t.begin(kindSupplyRequest)
	f.at, f.status = t.story.later(2, 4), "completed"
	f.code = t.pick(kindSupplyRequest, "SupplyRequest.itemCodeableConcept", item)
	f.more = supplyReason.find("patient-care")
	t.write()
}

// diagnosis writes how an illness that stays is found.
func (t *teller) diagnosis(i *ill) {
	s := &t.story
	t.meet("AMB", "first-consultation", "", s.between(80, 120), true)
	i.disease = t.pick(kindCondition, "Condition.code", i.code)
	f := t.begin(kindCondition)
	f.at, f.code, f.status, f.kind = s.later(2, 8), i.disease, "active", "problem-list-item"
	if s.percent(i.heals) && i.last > 1 {
		f.status, f.until = "remission", s.end-moment(s.between(20, 60)*oneDay)
	}
	i.condition = t.write()
	t.look(i, 1)
	t.treat(i, 0)
	if i.imaging != "" {
		t.image(i.imaging, i.disease)
	}
	if i.tissue != "" {
		t.pathology(i.tissue)
	}
	if i.refer != "" && s.percent(50) {
		t.request("referral", t.pick(kindServiceRequest, "ServiceRequest.code", i.refer), i.disease)
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
		i.given = t.write()
		if i.supply != "" {
			t.supply(i.supply)
		}
	}
}

// followUp writes how an illness goes on.
func (t *teller) followUp(i *ill, turn int) {
	s := &t.story
	if i.condition == "" { // it was not found yet
		return
	}
	class, typ := "AMB", "follow-up-consultation"
	if s.percent(12) {
		class, typ = "VR", "telephone-consultation"
	}
	t.meet(class, typ, "follow-up-of-treatment", s.between(65, 100), false)
	s.later(2, 5)
	t.look(i, s.below(2))
	t.treat(i, turn)
	if i.given != "" && i.supply != "" && s.percent(60) {
		t.supply(i.supply)
	}
}

// look writes what is measured and asked about an illness.
func (t *teller) look(i *ill, level int) {
	for _, v := range i.vitals {
		f := t.observe("vital-signs", v, t.story.later(1, 3))
		f.level = levelOf(v, level)
		if i.given != "" && v == bloodPressure {
			f.refs[roleDevice] = i.given
		}
		t.write()
	}
	if i.form != "" {
		t.ask(i.form)
	}
	if i.panel != "" && t.story.percent(50) {
		t.laboratory(i.panel, level)
	}
}

// treat writes the medication of an illness: anew every second time. The last one is taken
// still.
func (t *teller) treat(i *ill, turn int) {
	s := &t.story
	if i.drug == "" || turn%2 != 0 {
		return
	}
	status := "completed"
	if turn+2 > i.last && s.died == 0 {
		status = "active"
	}
	t.prescribe(i.drug, i.disease, status)
}
