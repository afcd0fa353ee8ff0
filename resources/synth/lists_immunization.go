package synth

var (
	immunizationStatus = codeList{
		path: "Immunization.status",
		codes: []weightedCode{
			{"completed", "", 95, false},
			{"not-done", "", 3, false},
			{"entered-in-error", "", 2, false},
		},
	}
	immunizationReason = codeList{
		path: "Immunization.statusReason", system: "http://terminology.hl7.org/CodeSystem/v3-ActReason",
		codes: []weightedCode{
			{"IMMUNE", "immunity", 20, false},
			{"MEDPREC", "medical precaution", 25, false},
			{"OSTOCK", "product out of stock", 15, false},
			{"PATOBJ", "patient objection", 30, false},
			{"VACEFF", "vaccine efficacy concerns", 10, false},
		},
	}
	immunizationRoute = codeList{
		path: "Immunization.route", system: "http://terminology.hl7.org/CodeSystem/v3-RouteOfAdministration",
		codes: []weightedCode{
			{"IM", "Injection, intramuscular", 75, false},
			{"SC", "Injection, subcutaneous", 13, true},
			{"ID", "Injection, intradermal", 4, true},
			{"NASINHL", "Inhalation, nasal", 8, false},
		},
	}
)

// These elements have no documented codes. The codes are from R4 value sets.
var (
	immunizationOrigin = codeList{
		path: "Immunization.reportOrigin", system: "http://terminology.hl7.org/CodeSystem/immunization-origin",
		codes: []weightedCode{
			{"provider", "Other Provider", 40, false},
			{"record", "Written Record", 35, false},
			{"recall", "Parent/Guardian/Patient Recall", 15, false},
			{"school", "School Record", 10, false},
		},
	}
	immunizationSite = codeList{
		path: "Immunization.site", system: "http://terminology.hl7.org/CodeSystem/v3-ActSite",
		codes: []weightedCode{
			{"LA", "left arm", 50, false},
			{"RA", "right arm", 35, false},
			{"LT", "left thigh", 10, false},
			{"RT", "right thigh", 5, false},
		},
	}
	immunizationFunction = codeList{
		path: "Immunization.performer.function", system: "http://terminology.hl7.org/CodeSystem/v2-0443",
		codes: []weightedCode{
			{"AP", "Administering Provider", 85, false},
			{"OP", "Ordering Provider", 15, false},
		},
	}
)
