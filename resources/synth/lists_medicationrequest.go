package synth

var (
	medicationRequestStatus = codeList{
		path: "MedicationRequest.status",
		codes: []weightedCode{
			{"active", "", 35, false},
			{"on-hold", "", 3, false},
			{"cancelled", "", 4, false},
			{"completed", "", 45, false},
			{"entered-in-error", "", 2, false},
			{"stopped", "", 6, false},
			{"draft", "", 3, false},
			{"unknown", "", 2, false},
		},
	}
	medicationRequestIntent = codeList{
		path: "MedicationRequest.intent",
		codes: []weightedCode{
			{"proposal", "", 3, false},
			{"plan", "", 5, false},
			{"order", "", 80, false},
			{"original-order", "", 3, false},
			{"reflex-order", "", 2, false},
			{"filler-order", "", 3, false},
			{"instance-order", "", 2, false},
			{"option", "", 2, false},
		},
	}
	medicationRequestCategory = codeList{
		path: "MedicationRequest.category", system: "http://terminology.hl7.org/CodeSystem/medicationrequest-category",
		codes: []weightedCode{
			{"inpatient", "Inpatient", 20, false},
			{"outpatient", "Outpatient", 50, false},
			{"community", "Community", 30, false},
		},
	}
	medicationRequestPriority = codeList{
		path: "MedicationRequest.priority",
		codes: []weightedCode{
			{"routine", "", 85, false},
			{"urgent", "", 8, false},
			{"asap", "", 4, false},
			{"stat", "", 3, false},
		},
	}
)

// These elements have no documented codes. The codes are from R4 value sets.
var (
	medicationRequestReason = codeList{
		path: "MedicationRequest.statusReason", system: "http://terminology.hl7.org/CodeSystem/medicationrequest-status-reason",
		codes: []weightedCode{
			{"altchoice", "Try another treatment first", 25, false},
			{"clarif", "Prescription requires clarification", 15, false},
			{"drughigh", "Drug level too high", 8, false},
			{"hospadm", "Admission to hospital", 12, false},
			{"salg", "Allergy", 10, false},
			{"sddi", "Drug interacts with another drug", 10, false},
			{"sdupther", "Duplicate therapy", 10, false},
			{"sintol", "Suspected intolerance", 10, false},
		},
	}
	medicationSubstitution = codeList{
		path: "MedicationRequest.substitution.allowedCodeableConcept", system: "http://terminology.hl7.org/CodeSystem/v3-substanceAdminSubstitution",
		codes: []weightedCode{
			{"E", "equivalent", 40, false},
			{"G", "generic composition", 40, false},
			{"N", "none", 20, false},
		},
	}
)
