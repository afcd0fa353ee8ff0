package synth

var (
	supplyStatus = codeList{
		path: "SupplyRequest.status",
		codes: []weightedCode{
			{"draft", "", 5, false},
			{"active", "", 30, false},
			{"suspended", "", 4, false},
			{"cancelled", "", 5, false},
			{"completed", "", 50, false},
			{"entered-in-error", "", 2, false},
			{"unknown", "", 4, false},
		},
	}
	supplyCategory = codeList{
		path: "SupplyRequest.category", system: "http://terminology.hl7.org/CodeSystem/supply-kind",
		codes: []weightedCode{
			{"central", "Central Supply", 70, false},
			{"nonstock", "Non-Stock", 30, false},
		},
	}
	supplyPriority = codeList{
		path: "SupplyRequest.priority",
		codes: []weightedCode{
			{"routine", "", 75, false},
			{"urgent", "", 12, false},
			{"asap", "", 8, false},
			{"stat", "", 5, false},
		},
	}
	supplyReason = codeList{
		path: "SupplyRequest.reasonCode", system: "http://terminology.hl7.org/CodeSystem/supplyrequest-reason",
		codes: []weightedCode{
			{"ward-stock", "Ward Stock", 45, false},
			{"patient-care", "Patient Care", 55, false},
		},
	}
)
