package synth

// An acuteRow is an illness that comes and goes.
type acuteRow struct {
	code     string
	often    int  // weight
	from, to int  // ages
	only     byte // 'f': women; 0: all
	// how many days it lasts
	least, most int
	typ         string // of the encounter, "" for a consultation
	reason      string
	stay        int // hours of the encounter, 0 for a visit
	vitals      []string
	panel       string
	imaging     string
	modality    string
	drug        string
	form        string // questionnaire
	after       string // rehabilitation that is asked for
	supply      string
}

// acute are the illnesses that come and go.
var acute = []acuteRow{
	{code: "common-cold", often: 20, to: 100, least: 4, most: 12, vitals: []string{"body-temperature"}, form: "covid-screening"},
	{code: "influenza", often: 8, to: 100, least: 6, most: 16, vitals: []string{"body-temperature"}, panel: "respiratory-pathogen-panel", drug: "paracetamol-500"},
	{code: "pneumonia", often: 4, from: 1, to: 100, least: 14, most: 40, typ: "urgent-admission", reason: "chest-complaint", stay: 110, vitals: []string{"body-temperature", "oxygen-saturation"}, panel: "inflammation-panel", imaging: "x-ray-chest", modality: "DX", drug: "amoxicillin-500"},
	{code: "acute-bronchitis", often: 9, from: 1, to: 100, least: 7, most: 21, reason: "chest-complaint", vitals: []string{"oxygen-saturation"}, drug: "doxycycline-100", form: "covid-screening"},
	{code: "sinusitis", often: 6, from: 8, to: 100, least: 5, most: 20, drug: "mometasone-spray"},
	{code: "tonsillitis", often: 8, from: 2, to: 40, least: 4, most: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "otitis-media", often: 12, to: 12, least: 4, most: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "urinary-tract-infection", often: 10, from: 15, to: 100, only: 'f', least: 4, most: 12, panel: "urine-panel", drug: "nitrofurantoin-100"},
	{code: "gastroenteritis", often: 9, to: 100, least: 2, most: 8, reason: "abdominal-complaint", vitals: []string{"body-temperature"}},
	{code: "skin-infection", often: 5, to: 100, least: 5, most: 25, reason: "skin-complaint", drug: "amoxicillin-500"},
	{code: "eczema", often: 5, to: 60, least: 20, most: 90, reason: "skin-complaint", drug: "hydrocortisone-cream"},
	{code: "broken-wrist", often: 4, from: 4, to: 100, least: 35, most: 60, typ: "emergency-visit", reason: "fall", stay: 5, imaging: "x-ray-hand", modality: "DX", drug: "ibuprofen-400", after: "hand-therapy", supply: "elastic-bandage"},
	{code: "sprained-ankle", often: 6, from: 8, to: 80, least: 14, most: 45, reason: "sports-injury", imaging: "x-ray-ankle", modality: "DX", drug: "diclofenac-gel", form: "pain-assessment", supply: "elastic-bandage"},
	{code: "kidney-stones", often: 3, from: 25, to: 80, least: 5, most: 40, typ: "emergency-visit", reason: "abdominal-complaint", stay: 7, panel: "kidney-panel", imaging: "ct-abdomen", modality: "CT", drug: "ibuprofen-400"},
	{code: "gallstones", often: 3, from: 30, to: 90, least: 20, most: 90, reason: "abdominal-complaint", panel: "liver-panel", imaging: "us-abdomen", modality: "US"},
}

// A chronicRow is an illness that stays.
type chronicRow struct {
	code     string
	often    int // of 1,000 who are at least as old as from
	from, to int // ages at which it begins
	only     byte
	vitals   []string
	panel    string
	drug     string
	form     string
	device   string
	supply   string
	refer    string
	imaging  string
	modality string
	tissue   string // that is looked at
	heals    int    // of 100 it ends at last
}

// chronic are the illnesses that stay. The first is the one that there is most to tell about.
var chronic = []chronicRow{
	{code: "type-2-diabetes", often: 110, from: 40, to: 75, vitals: []string{"body-weight"}, panel: "glucose-panel", drug: "metformin-500", device: "glucose-meter", supply: "blood-glucose-strips", refer: "referral-to-ophthalmology"},
	{code: "hypertension", often: 260, from: 40, to: 75, vitals: []string{bloodPressure}, panel: "kidney-panel", drug: "ramipril-5", device: "blood-pressure-monitor"},
	{code: "type-1-diabetes", often: 8, from: 6, to: 30, vitals: []string{"heart-rate"}, panel: "glucose-panel", drug: "insulin-glargine", device: "insulin-pump", supply: "blood-glucose-strips", refer: "referral-to-endocrinology"},
	{code: "hyperlipidaemia", often: 150, from: 35, to: 70, panel: "lipid-panel", drug: "atorvastatin-20"},
	{code: "heart-failure", often: 60, from: 60, to: 85, vitals: []string{"body-weight"}, panel: "electrolyte-panel", drug: "furosemide-40", imaging: "x-ray-chest", modality: "DX", refer: "referral-to-cardiology"},
	{code: "atrial-fibrillation", often: 70, from: 55, to: 85, vitals: []string{"heart-rate"}, panel: "coagulation-panel", drug: "apixaban-5", device: "cardiac-pacemaker", refer: "referral-to-cardiology"},
	{code: "coronary-artery-disease", often: 60, from: 50, to: 85, vitals: []string{bloodPressure}, drug: "acetylsalicylic-acid-100", device: "coronary-stent", imaging: "coronary-angiography", modality: "XA", refer: "referral-to-cardiology"},
	{code: "asthma", often: 60, from: 5, to: 40, vitals: []string{"oxygen-saturation"}, drug: "salbutamol-inhaler", heals: 15},
	{code: "obstructive-lung-disease", often: 50, from: 50, to: 80, vitals: []string{"oxygen-saturation"}, drug: "budesonide-inhaler", device: "nebuliser", imaging: "ct-chest", modality: "CT"},
	{code: "depression", often: 80, from: 16, to: 75, drug: "sertraline-50", form: "phq-9", refer: "referral-to-psychiatry", heals: 40},
	{code: "anxiety-disorder", often: 50, from: 16, to: 60, form: "gad-7", refer: "referral-to-psychiatry", heals: 30},
	{code: "hypothyroidism", often: 50, from: 25, to: 75, panel: "thyroid-panel", drug: "levothyroxine-50"},
	{code: "osteoarthritis", often: 100, from: 50, to: 85, drug: "paracetamol-500", form: "pain-assessment", device: "knee-prosthesis", imaging: "mr-knee", modality: "MR", refer: "referral-to-orthopaedics"},
	{code: "osteoporosis", often: 60, from: 60, to: 85, panel: "deficiency-panel", drug: "alendronate-70", device: "walking-frame"},
	{code: "migraine", often: 50, from: 12, to: 50, drug: "sumatriptan-50", form: "pain-assessment", refer: "referral-to-neurology"},
	{code: "obesity", often: 50, from: 20, to: 60, vitals: []string{"body-weight"}, heals: 20},
	{code: "chronic-kidney-disease", often: 40, from: 60, to: 90, vitals: []string{bloodPressure}, panel: "kidney-panel"},
	{code: "breast-cancer", often: 30, from: 40, to: 80, only: 'f', imaging: "mammography", modality: "MG", refer: "referral-to-oncology", heals: 60, tissue: "breast-biopsy"},
	{code: "colon-cancer", often: 12, from: 45, to: 85, imaging: "ct-abdomen", modality: "CT", refer: "referral-to-oncology", heals: 50, tissue: "colon-biopsy"},
}

// ill is an illness of the patient that stays.
type ill struct {
	*chronicRow
	at        day // when it is found
	last      int // number of the last follow-up
	code      Coding
	condition string
	device    string
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
		t.measure(vitalLevel(v, level), v)
	}
	if a.form != "" && s.percent(40) {
		t.ask(a.form)
	}
	if a.panel != "" && s.percent(60) {
		t.laboratory(a.panel, level)
	}
	if a.imaging != "" {
		t.image(a.imaging, a.modality, code)
	}
	if a.drug != "" && s.percent(80) {
		t.prescribe(a.drug, code, "completed")
	}
	if a.after != "" {
		t.request("rehabilitation", t.pick(kindServiceRequest, "ServiceRequest.code", a.after), code)
	}
	if a.supply != "" {
		t.supply(a.supply)
	}
}

// vitalLevel gives the level of a vital sign in an illness: there is less oxygen, of
// everything else more.
func vitalLevel(code string, level int) int {
	if code == "oxygen-saturation" {
		return -level
	}
	return level
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
	i.code = t.pick(kindCondition, "Condition.code", i.chronicRow.code)
	f := t.begin(kindCondition)
	f.at, f.code, f.status, f.kind = s.later(2, 8), i.code, "active", "problem-list-item"
	if s.percent(i.heals) && i.last > 1 {
		f.status, f.until = "remission", s.end-moment(s.between(20, 60)*oneDay)
	}
	i.condition = t.write()
	t.look(i, 1)
	t.treat(i, 0)
	if i.imaging != "" {
		t.image(i.imaging, i.modality, i.code)
	}
	if i.tissue != "" {
		t.pathology(i.tissue)
	}
	if i.refer != "" && s.percent(50) {
		t.request("referral", t.pick(kindServiceRequest, "ServiceRequest.code", i.refer), i.code)
	}
	if s.featured {
		t.image("x-ray-chest", "DX", i.code)
		t.vaccinate("influenza-injection")
		t.ask("health-intake")
	}
	if i.chronicRow.device != "" && (s.featured || s.percent(60)) {
		f := t.begin(kindDevice)
		f.at, f.status = s.now-moment(s.between(60, 400))*oneDay, "active"
		f.code = t.pick(kindDevice, "Device.type", i.chronicRow.device)
		i.device = t.write()
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
	if i.device != "" && i.supply != "" && s.percent(60) {
		t.supply(i.supply)
	}
}

// look writes what is measured and asked about an illness.
func (t *teller) look(i *ill, level int) {
	for _, v := range i.vitals {
		f := t.observe("vital-signs", v, t.story.later(1, 3))
		f.level = level
		if i.device != "" && v == bloodPressure {
			f.refs[roleDevice] = i.device
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
	if i.drug == "" || turn%2 != 0 {
		return
	}
	status := "completed"
	if turn+2 > i.last {
		status = "active"
	}
	t.prescribe(i.drug, i.code, status)
}
