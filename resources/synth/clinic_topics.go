package synth

// topicTerms are the topics of measures, libraries, studies and groups, and the characteristics
// of group members.
var topicTerms = []term{
	{"topic", "Topic", ""},
	{"care-of-chronic-disease", "Care of chronic disease", "topic"},
	{"diabetes-care", "Diabetes care", "care-of-chronic-disease"},
	{"blood-pressure-control", "Blood pressure control", "care-of-chronic-disease"},
	{"asthma-care", "Asthma care", "care-of-chronic-disease"},
	{"heart-failure-care", "Heart failure care", "care-of-chronic-disease"},
	{"kidney-care", "Kidney care", "care-of-chronic-disease"},
	{"prevention", "Prevention", "topic"},
	{"vaccination-coverage", "Vaccination coverage", "prevention"},
	{"cancer-screening", "Cancer screening", "prevention"},
	{"stopping-smoking", "Stopping smoking", "prevention"},
	{"fall-prevention", "Fall prevention", "prevention"},
	{"mental-health", "Mental health", "topic"},
	{"depression-screening", "Depression screening", "mental-health"},
	{"anxiety-screening", "Anxiety screening", "mental-health"},
	{"care-after-crisis", "Care after a crisis", "mental-health"},
	{"safety", "Safety", "topic"},
	{"infection-control", "Infection control", "safety"},
	{"safe-prescribing", "Safe prescribing", "safety"},
	{"readmission", "Readmission", "safety"},
	{"access-to-care", "Access to care", "topic"},
	{"waiting-time", "Waiting time", "access-to-care"},
	{"care-at-a-distance", "Care at a distance", "access-to-care"},

	{"characteristic", "Characteristic", ""},
	{"characteristic-of-person", "Characteristic of a person", "characteristic"},
	{"age", "Age", "characteristic-of-person"},
	{"body-mass-index-range", "Range of the body mass index", "characteristic-of-person"},
	{"smoker", "Smoker", "characteristic-of-person"},
	{"pregnant", "Pregnant", "characteristic-of-person"},
	{"lives-alone", "Lives alone", "characteristic-of-person"},
	{"diagnosed-with", "Diagnosed with", "characteristic-of-person"},
	{"insured-by", "Insured by", "characteristic-of-person"},
	{"working-hours", "Working hours a week", "characteristic-of-person"},
	{"characteristic-of-thing", "Characteristic of a thing", "characteristic"},
	{"single-use", "For single use", "characteristic-of-thing"},
	{"in-stock", "In stock", "characteristic-of-thing"},
	{"storage-temperature", "Temperature of storage", "characteristic-of-thing"},
	{"shelf-life", "Shelf life", "characteristic-of-thing"},
	{"meant-for", "Meant for", "characteristic-of-thing"},
	{"made-by", "Made by", "characteristic-of-thing"},
}

// answerTerms are the answers to the questionnaires.
var answerTerms = []term{{"answer", "Answer of a questionnaire", ""}}

var painQualities = []term{
	{"pain-quality", "Quality of pain", "answer"},
	{"stabbing", "Stabbing", "pain-quality"},
	{"burning", "Burning", "pain-quality"},
	{"throbbing", "Throbbing", "pain-quality"},
	{"dull", "Dull", "pain-quality"},
	{"tingling", "Tingling", "pain-quality"},
}

var coldSigns = []term{
	{"cold-sign", "Sign of an infection of the airways", "answer"},
	{"new-cough", "New cough", "cold-sign"},
	{"sore-throat", "Sore throat", "cold-sign"},
	{"short-of-breath", "Short of breath", "cold-sign"},
	{"loss-of-smell", "Loss of smell or taste", "cold-sign"},
	{"aching-muscles", "Aching muscles", "cold-sign"},
	{"no-sign", "None of these", "cold-sign"},
}

var testResults = []term{
	{"swab-result", "Result of a swab", "answer"},
	{"swab-positive", "Positive", "swab-result"},
	{"swab-negative", "Negative", "swab-result"},
	{"swab-pending", "Not known yet", "swab-result"},
}

var difficulties = []term{
	{"difficulty", "How hard it makes the day", "answer"},
	{"no-difficulty", "Not hard", "difficulty"},
	{"some-difficulty", "Somewhat hard", "difficulty"},
	{"much-difficulty", "Very hard", "difficulty"},
	{"extreme-difficulty", "Hardly possible", "difficulty"},
}

var smokingHabits = []term{
	{"smoking-habit", "Smoking habit", "answer"},
	{"never-smoked", "Never smoked", "smoking-habit"},
	{"stopped-smoking", "Stopped smoking", "smoking-habit"},
	{"smokes-sometimes", "Smokes sometimes", "smoking-habit"},
	{"smokes-daily", "Smokes daily", "smoking-habit"},
}

var allergens = []term{
	{"allergen", "What somebody is allergic to", "answer"},
	{"pollen", "Pollen", "allergen"},
	{"nuts", "Nuts", "allergen"},
	{"penicillin-allergen", "Penicillin", "allergen"},
	{"house-dust", "House dust", "allergen"},
	{"wasp-venom", "Wasp venom", "allergen"},
}
