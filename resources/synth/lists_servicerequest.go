package synth

var (
	serviceRequestStatus = list{
		path: "ServiceRequest.status",
		codes: []listed{
			{"draft", "", 4, false},
			{"active", "", 30, false},
			{"on-hold", "", 4, false},
			{"revoked", "", 5, false},
			{"completed", "", 53, false},
			{"entered-in-error", "", 2, false},
			{"unknown", "", 2, false},
		},
	}
	serviceRequestIntent = list{
		path: "ServiceRequest.intent",
		codes: []listed{
			{"proposal", "", 4, false},
			{"plan", "", 8, false},
			{"directive", "", 3, false},
			{"order", "", 75, false},
			{"original-order", "", 6, false},
			{"reflex-order", "", 4, false},
		},
	}
	serviceRequestPriority = list{
		path: "ServiceRequest.priority",
		codes: []listed{
			{"routine", "", 70, false},
			{"urgent", "", 15, false},
			{"asap", "", 9, false},
			{"stat", "", 6, false},
		},
	}
	serviceRequestCategory = list{
		path: "ServiceRequest.category", // no code system of R4 has these as categories of requests
		codes: []listed{
			{"laboratory", "Laboratory", 45, false},
			{"imaging", "Imaging", 25, false},
			{"referral", "Referral", 18, false},
			{"rehabilitation", "Rehabilitation", 12, false},
		},
	}
)
