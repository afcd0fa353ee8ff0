package synth

// vitalTerms are vital signs and what nurses assess.
var vitalTerms = []term{
	{"vital-sign", "Vital sign", ""},
	{"body-temperature", "Body temperature", "vital-sign"},
	{"heart-rate", "Heart rate", "vital-sign"},
	{"respiratory-rate", "Respiratory rate", "vital-sign"},
	{"oxygen-saturation", "Oxygen saturation", "vital-sign"},
	{bloodPressure, "Blood pressure", "vital-sign"},
	{"body-measurement", "Body measurement", "vital-sign"},
	{"body-height", "Body height", "body-measurement"},
	{"body-weight", "Body weight", "body-measurement"},
	{"body-mass-index", "Body mass index", "body-measurement"},
	{"pressure", "Pressure within a cycle of the heart", ""},
	{"systolic-blood-pressure", "Systolic blood pressure", "pressure"},
	{"diastolic-blood-pressure", "Diastolic blood pressure", "pressure"},
	{"nursing-assessment", "Nursing assessment", ""},
	{"vital-signs-chart", "Chart of vital signs", "nursing-assessment"},
	{"fluid-balance", "Fluid balance", "nursing-assessment"},
	{"wound-assessment", "Assessment of a wound", "nursing-assessment"},
	{"pressure-ulcer-risk", "Risk of pressure ulcers", "nursing-assessment"},
	{"fall-risk", "Risk of falls", "nursing-assessment"},
	{"nutrition-assessment", "Assessment of nutrition", "nursing-assessment"},
}
