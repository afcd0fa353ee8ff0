package synth

// An acuteIllness is an illness that comes and goes.
type acuteIllness struct {
	code           string
	weight         int  // how often it occurs
	minAge, maxAge int  // ages
	sex            byte // 'f': women; 0: all
	// duration in days
	minDays, maxDays int
	encounterType    string // of the encounter, "" for a consultation
	reason           string
	stayHours        int // 0 for a visit without a stay
	vitals           []string
	panel            string
	imaging          string
	drug             string
	questionnaire    string // questionnaire
	rehabilitation   string // rehabilitation that is asked for
	supply           string
}

// acuteIllnesses is the table of illnesses that come and go.
var acuteIllnesses = []acuteIllness{
	{code: "common-cold", weight: 20, maxAge: 100, minDays: 4, maxDays: 12, vitals: []string{"body-temperature"}, questionnaire: "covid-screening"},
	{code: "influenza", weight: 8, maxAge: 100, minDays: 6, maxDays: 16, vitals: []string{"body-temperature"}, panel: "respiratory-pathogen-panel", drug: "paracetamol-500"},
	{code: "pneumonia", weight: 4, minAge: 1, maxAge: 100, minDays: 14, maxDays: 40, encounterType: "urgent-admission", reason: "chest-complaint", stayHours: 110, vitals: []string{"body-temperature", "oxygen-saturation"}, panel: "inflammation-panel", imaging: "x-ray-chest", drug: "amoxicillin-500"},
	{code: "acute-bronchitis", weight: 9, minAge: 1, maxAge: 100, minDays: 7, maxDays: 21, reason: "chest-complaint", vitals: []string{"oxygen-saturation"}, drug: "doxycycline-100", questionnaire: "covid-screening"},
	{code: "sinusitis", weight: 6, minAge: 8, maxAge: 100, minDays: 5, maxDays: 20, drug: "mometasone-spray"},
	{code: "tonsillitis", weight: 8, minAge: 2, maxAge: 40, minDays: 4, maxDays: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "otitis-media", weight: 12, maxAge: 12, minDays: 4, maxDays: 12, vitals: []string{"body-temperature"}, drug: "amoxicillin-500"},
	{code: "urinary-tract-infection", weight: 10, minAge: 15, maxAge: 100, sex: 'f', minDays: 4, maxDays: 12, panel: "urine-panel", drug: "nitrofurantoin-100"},
	{code: "gastroenteritis", weight: 9, maxAge: 100, minDays: 2, maxDays: 8, reason: "abdominal-complaint", vitals: []string{"body-temperature"}},
	{code: "skin-infection", weight: 5, maxAge: 100, minDays: 5, maxDays: 25, reason: "skin-complaint", drug: "amoxicillin-500"},
	{code: "eczema", weight: 5, maxAge: 60, minDays: 20, maxDays: 90, reason: "skin-complaint", drug: "hydrocortisone-cream"},
	{code: "broken-wrist", weight: 4, minAge: 4, maxAge: 100, minDays: 35, maxDays: 60, encounterType: "emergency-visit", reason: "fall", stayHours: 5, imaging: "x-ray-hand", drug: "ibuprofen-400", rehabilitation: "hand-therapy", supply: "elastic-bandage"},
	{code: "sprained-ankle", weight: 6, minAge: 8, maxAge: 80, minDays: 14, maxDays: 45, reason: "sports-injury", imaging: "x-ray-ankle", drug: "diclofenac-gel", questionnaire: "pain-assessment", supply: "elastic-bandage"},
	{code: "kidney-stones", weight: 3, minAge: 25, maxAge: 80, minDays: 5, maxDays: 40, encounterType: "emergency-visit", reason: "abdominal-complaint", stayHours: 7, panel: "kidney-panel", imaging: "ct-abdomen", drug: "ibuprofen-400"},
	{code: "gallstones", weight: 3, minAge: 30, maxAge: 90, minDays: 20, maxDays: 90, reason: "abdominal-complaint", panel: "liver-panel", imaging: "us-abdomen"},
}

// A chronicIllness is an illness that stays.
type chronicIllness struct {
	code           string
	prevalence     int // patients in 1,000 who have reached minAge
	minAge, maxAge int // age at onset
	sex            byte
	vitals         []string
	panel          string
	drug           string
	questionnaire  string
	device         string
	supply         string
	referral       string
	imaging        string
	pathology      string // tissue examination
	healPercent    int    // chance that it ends
}

// chronicIllnesses is the table of illnesses that stay. The first has the richest history.
var chronicIllnesses = []chronicIllness{
	{code: "type-2-diabetes", prevalence: 110, minAge: 40, maxAge: 75, vitals: []string{"body-weight"}, panel: "glucose-panel", drug: "metformin-500", device: "glucose-meter", supply: "blood-glucose-strips", referral: "referral-to-ophthalmology"},
	{code: "hypertension", prevalence: 260, minAge: 40, maxAge: 75, vitals: []string{bloodPressure}, panel: "kidney-panel", drug: "ramipril-5", device: "blood-pressure-monitor"},
	{code: "type-1-diabetes", prevalence: 8, minAge: 6, maxAge: 30, vitals: []string{"heart-rate"}, panel: "glucose-panel", drug: "insulin-glargine", device: "insulin-pump", supply: "blood-glucose-strips", referral: "referral-to-endocrinology"},
	{code: "hyperlipidaemia", prevalence: 150, minAge: 35, maxAge: 70, panel: "lipid-panel", drug: "atorvastatin-20"},
	{code: "heart-failure", prevalence: 60, minAge: 60, maxAge: 85, vitals: []string{"body-weight"}, panel: "electrolyte-panel", drug: "furosemide-40", imaging: "x-ray-chest", referral: "referral-to-cardiology"},
	{code: "atrial-fibrillation", prevalence: 70, minAge: 55, maxAge: 85, vitals: []string{"heart-rate"}, panel: "coagulation-panel", drug: "apixaban-5", device: "cardiac-pacemaker", referral: "referral-to-cardiology"},
	{code: "coronary-artery-disease", prevalence: 60, minAge: 50, maxAge: 85, vitals: []string{bloodPressure}, drug: "acetylsalicylic-acid-100", device: "coronary-stent", imaging: "coronary-angiography", referral: "referral-to-cardiology"},
	{code: "asthma", prevalence: 60, minAge: 5, maxAge: 40, vitals: []string{"oxygen-saturation"}, drug: "salbutamol-inhaler", healPercent: 15},
	{code: "obstructive-lung-disease", prevalence: 50, minAge: 50, maxAge: 80, vitals: []string{"oxygen-saturation"}, drug: "budesonide-inhaler", device: "nebuliser", imaging: "ct-chest"},
	{code: "depression", prevalence: 80, minAge: 16, maxAge: 75, drug: "sertraline-50", questionnaire: "phq-9", referral: "referral-to-psychiatry", healPercent: 40},
	{code: "anxiety-disorder", prevalence: 50, minAge: 16, maxAge: 60, questionnaire: "gad-7", referral: "referral-to-psychiatry", healPercent: 30},
	{code: "hypothyroidism", prevalence: 50, minAge: 25, maxAge: 75, panel: "thyroid-panel", drug: "levothyroxine-50"},
	{code: "osteoarthritis", prevalence: 100, minAge: 50, maxAge: 85, drug: "paracetamol-500", questionnaire: "pain-assessment", device: "knee-prosthesis", imaging: "mr-knee", referral: "referral-to-orthopaedics"},
	{code: "osteoporosis", prevalence: 60, minAge: 60, maxAge: 85, panel: "deficiency-panel", drug: "alendronate-70", device: "walking-frame"},
	{code: "migraine", prevalence: 50, minAge: 12, maxAge: 50, drug: "sumatriptan-50", questionnaire: "pain-assessment", referral: "referral-to-neurology"},
	{code: "obesity", prevalence: 50, minAge: 20, maxAge: 60, vitals: []string{"body-weight"}, healPercent: 20},
	{code: "chronic-kidney-disease", prevalence: 40, minAge: 60, maxAge: 90, vitals: []string{bloodPressure}, panel: "kidney-panel"},
	{code: "breast-cancer", prevalence: 30, minAge: 40, maxAge: 80, sex: 'f', imaging: "mammography", referral: "referral-to-oncology", healPercent: 60, pathology: "breast-biopsy"},
	{code: "colon-cancer", prevalence: 12, minAge: 45, maxAge: 85, imaging: "ct-abdomen", referral: "referral-to-oncology", healPercent: 50, pathology: "colon-biopsy"},
}
