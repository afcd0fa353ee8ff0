package synth

var (
	medicationRequestStatus = list{
		path: "MedicationRequest.status",
		codes: []listed{
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
	medicationRequestIntent = list{
		path: "MedicationRequest.intent",
		codes: []listed{
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
	medicationRequestCategory = list{
		path: "MedicationRequest.category", system: "http://terminology.hl7.org/CodeSystem/medicationrequest-category",
		codes: []listed{
			{"inpatient", "Inpatient", 20, false},
			{"outpatient", "Outpatient", 50, false},
			{"community", "Community", 30, false},
		},
	}
	medicationRequestPriority = list{
		path: "MedicationRequest.priority",
		codes: []listed{
			{"routine", "", 85, false},
			{"urgent", "", 8, false},
			{"asap", "", 4, false},
			{"stat", "", 3, false},
		},
	}
)

// The document has no codes for these; they are of the value sets of R4.
var (
	medicationRequestReason = list{
		path: "MedicationRequest.statusReason", system: "http://terminology.hl7.org/CodeSystem/medicationrequest-status-reason",
		codes: []listed{
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
	medicationSubstitution = list{
		path: "MedicationRequest.substitution.allowedCodeableConcept", system: "http://terminology.hl7.org/CodeSystem/v3-substanceAdminSubstitution",
		codes: []listed{
			{"E", "equivalent", 40, false},
			{"G", "generic composition", 40, false},
			{"N", "none", 20, false},
		},
	}
)
