package synth

var (
	serviceRequestStatus = codeList{
		path: "ServiceRequest.status",
		codes: []weightedCode{
			{"draft", "", 4, false},
			{"active", "", 30, false},
			{"on-hold", "", 4, false},
			{"revoked", "", 5, false},
			{"completed", "", 53, false},
			{"entered-in-error", "", 2, false},
			{"unknown", "", 2, false},
		},
	}
	serviceRequestIntent = codeList{
		path: "ServiceRequest.intent",
		codes: []weightedCode{
			{"proposal", "", 4, false},
			{"plan", "", 8, false},
			{"directive", "", 3, false},
			{"order", "", 75, false},
			{"original-order", "", 6, false},
			{"reflex-order", "", 4, false},
		},
	}
	serviceRequestPriority = codeList{
		path: "ServiceRequest.priority",
		codes: []weightedCode{
			{"routine", "", 70, false},
			{"urgent", "", 15, false},
			{"asap", "", 9, false},
			{"stat", "", 6, false},
		},
	}
	serviceRequestCategory = codeList{
		path: "ServiceRequest.category", // no code system of R4 contains these as categories of requests
		codes: []weightedCode{
			{"laboratory", "Laboratory", 45, false},
			{"imaging", "Imaging", 25, false},
			{"referral", "Referral", 18, false},
			{"rehabilitation", "Rehabilitation", 12, false},
		},
	}
)
