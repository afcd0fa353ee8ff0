package synth

// The document says nothing of Observations; the lists are R4's.
var (
	observationStatus = list{
		path: "Observation.status",
		codes: []listed{
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
	observationCategory = list{
		path: "Observation.category", system: "http://terminology.hl7.org/CodeSystem/observation-category",
		codes: []listed{
			{"vital-signs", "Vital Signs", 45, false},
			{"laboratory", "Laboratory", 55, false},
		},
	}
	interpretation = list{
		path: "Observation.interpretation", system: "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation",
		codes: []listed{
			{"N", "Normal", 1, false},
			{"L", "Low", 1, false},
			{"H", "High", 1, false},
			{"LL", "Critical low", 1, false},
			{"HH", "Critical high", 1, false},
			{"NEG", "Negative", 1, false},
			{"POS", "Positive", 1, false},
		},
	}
	dataAbsentReason = list{
		path: "Observation.dataAbsentReason", system: "http://terminology.hl7.org/CodeSystem/data-absent-reason",
		codes: []listed{
			{"unknown", "Unknown", 20, false},
			{"error", "Error", 30, false},
			{"not-performed", "Not Performed", 50, false},
		},
	}
)
