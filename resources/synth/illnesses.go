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
	drug        string
	form        string // questionnaire
	after       string // rehabilitation that is asked for
	supply      string
}

// acute are the illnesses that come and go.
var acute = []acuteRow{
	{code: "common-cold", often: 20, to: 100, least: 4, most: 12, vitals: []string{"body-temperature"}, form: "covid-screening"},
	{code: "influenza", often: 8, to: 100, least: 6, most: 16, vitals: []string{"body-temperature"}, panel: "respiratory-pathogen-panel", drug: "paracetamol-500"},
	{code: "pneumonia", often: 4, from: 1, to: 100, least: 14, most: 40, typ: "urgent-admission", reason: "chest-complaint", stay: 110, vitals: []string{"body-temperature", "oxygen-saturation"}, panel: "inflammation-panel", imaging: "x-ray-chest", drug: "amoxicillin-500"},
	{code: "acute-bronchitis", often: 9, from: 1, to: 100, least: 7, most: 21, reason: "chest-complaint", vitals: []string{"oxygen-saturation"}, drug: "doxycycline-100", form: "covid-screening"},
	{code: "sinusitis", often: 6, from: 8, to: 100, least: 5, most: 20, drug: "mometasone-spray"},
	{code: "tonsillitis", often: 8, from: 2, to: 40, least: 4, most: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "otitis-media", often: 12, to: 12, least: 4, most: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "urinary-tract-infection", often: 10, from: 15, to: 100, only: 'f', least: 4, most: 12, panel: "urine-panel", drug: "nitrofurantoin-100"},
	{code: "gastroenteritis", often: 9, to: 100, least: 2, most: 8, reason: "abdominal-complaint", vitals: []string{"body-temperature"}},
	{code: "skin-infection", often: 5, to: 100, least: 5, most: 25, reason: "skin-complaint", drug: "amoxicillin-500"},
	{code: "eczema", often: 5, to: 60, least: 20, most: 90, reason: "skin-complaint", drug: "hydrocortisone-cream"},
	{code: "broken-wrist", often: 4, from: 4, to: 100, least: 35, most: 60, typ: "emergency-visit", reason: "fall", stay: 5, imaging: "x-ray-hand", drug: "ibuprofen-400", after: "hand-therapy", supply: "elastic-bandage"},
	{code: "sprained-ankle", often: 6, from: 8, to: 80, least: 14, most: 45, reason: "sports-injury", imaging: "x-ray-ankle", drug: "diclofenac-gel", form: "pain-assessment", supply: "elastic-bandage"},
	{code: "kidney-stones", often: 3, from: 25, to: 80, least: 5, most: 40, typ: "emergency-visit", reason: "abdominal-complaint", stay: 7, panel: "kidney-panel", imaging: "ct-abdomen", drug: "ibuprofen-400"},
	{code: "gallstones", often: 3, from: 30, to: 90, least: 20, most: 90, reason: "abdominal-complaint", panel: "liver-panel", imaging: "us-abdomen"},
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
	tissue   string // that is looked at
	heals    int    // of 100 it ends at last
}

// chronic are the illnesses that stay. The first is the one that there is most to tell about.
var chronic = []chronicRow{
	{code: "type-2-diabetes", often: 110, from: 40, to: 75, vitals: []string{"body-weight"}, panel: "glucose-panel", drug: "metformin-500", device: "glucose-meter", supply: "blood-glucose-strips", refer: "referral-to-ophthalmology"},
	{code: "hypertension", often: 260, from: 40, to: 75, vitals: []string{bloodPressure}, panel: "kidney-panel", drug: "ramipril-5", device: "blood-pressure-monitor"},
	{code: "type-1-diabetes", often: 8, from: 6, to: 30, vitals: []string{"heart-rate"}, panel: "glucose-panel", drug: "insulin-glargine", device: "insulin-pump", supply: "blood-glucose-strips", refer: "referral-to-endocrinology"},
	{code: "hyperlipidaemia", often: 150, from: 35, to: 70, panel: "lipid-panel", drug: "atorvastatin-20"},
	{code: "heart-failure", often: 60, from: 60, to: 85, vitals: []string{"body-weight"}, panel: "electrolyte-panel", drug: "furosemide-40", imaging: "x-ray-chest", refer: "referral-to-cardiology"},
	{code: "atrial-fibrillation", often: 70, from: 55, to: 85, vitals: []string{"heart-rate"}, panel: "coagulation-panel", drug: "apixaban-5", device: "cardiac-pacemaker", refer: "referral-to-cardiology"},
	{code: "coronary-artery-disease", often: 60, from: 50, to: 85, vitals: []string{bloodPressure}, drug: "acetylsalicylic-acid-100", device: "coronary-stent", imaging: "coronary-angiography", refer: "referral-to-cardiology"},
	{code: "asthma", often: 60, from: 5, to: 40, vitals: []string{"oxygen-saturation"}, drug: "salbutamol-inhaler", heals: 15},
	{code: "obstructive-lung-disease", often: 50, from: 50, to: 80, vitals: []string{"oxygen-saturation"}, drug: "budesonide-inhaler", device: "nebuliser", imaging: "ct-chest"},
	{code: "depression", often: 80, from: 16, to: 75, drug: "sertraline-50", form: "phq-9", refer: "referral-to-psychiatry", heals: 40},
	{code: "anxiety-disorder", often: 50, from: 16, to: 60, form: "gad-7", refer: "referral-to-psychiatry", heals: 30},
	{code: "hypothyroidism", often: 50, from: 25, to: 75, panel: "thyroid-panel", drug: "levothyroxine-50"},
	{code: "osteoarthritis", often: 100, from: 50, to: 85, drug: "paracetamol-500", form: "pain-assessment", device: "knee-prosthesis", imaging: "mr-knee", refer: "referral-to-orthopaedics"},
	{code: "osteoporosis", often: 60, from: 60, to: 85, panel: "deficiency-panel", drug: "alendronate-70", device: "walking-frame"},
	{code: "migraine", often: 50, from: 12, to: 50, drug: "sumatriptan-50", form: "pain-assessment", refer: "referral-to-neurology"},
	{code: "obesity", often: 50, from: 20, to: 60, vitals: []string{"body-weight"}, heals: 20},
	{code: "chronic-kidney-disease", often: 40, from: 60, to: 90, vitals: []string{bloodPressure}, panel: "kidney-panel"},
	{code: "breast-cancer", often: 30, from: 40, to: 80, only: 'f', imaging: "mammography", refer: "referral-to-oncology", heals: 60, tissue: "breast-biopsy"},
	{code: "colon-cancer", often: 12, from: 45, to: 85, imaging: "ct-abdomen", refer: "referral-to-oncology", heals: 50, tissue: "colon-biopsy"},
}
