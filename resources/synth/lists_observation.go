package synth

// Observation has no documented codes. These are from R4.
var (
	observationStatus = codeList{
		path: "Observation.status",
		codes: []weightedCode{
			{"final", "", 84, false},
			{"preliminary", "", 5, false},
			{"amended", "", 3, false},
			{"corrected", "", 2, false},
			{"registered", "", 2, false},
			{"cancelled", "", 2, false},
			{"entered-in-error", "", 1, false},
			{"unknown", "", 1, false},
		},
	}
	observationCategory = codeList{
		path: "Observation.category", system: "http://terminology.hl7.org/CodeSystem/observation-category",
		codes: []weightedCode{
			{"vital-signs", "Vital Signs", 45, false},
			{"laboratory", "Laboratory", 55, false},
		},
	}
	interpretation = codeList{
		path: "Observation.interpretation", system: "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation",
		codes: []weightedCode{
			{"N", "Normal", 1, false},
			{"L", "Low", 1, false},
			{"H", "High", 1, false},
			{"LL", "Critical low", 1, false},
			{"HH", "Critical high", 1, false},
			{"NEG", "Negative", 1, false},
			{"POS", "Positive", 1, false},
		},
	}
	dataAbsentReason = codeList{
		path: "Observation.dataAbsentReason", system: "http://terminology.hl7.org/CodeSystem/data-absent-reason",
		codes: []weightedCode{
			{"unknown", "Unknown", 20, false},
			{"error", "Error", 30, false},
			{"not-performed", "Not Performed", 50, false},
		},
	}
)
