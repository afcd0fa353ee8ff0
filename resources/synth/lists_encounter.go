package synth

var (
	encounterStatus = codeList{
		path: "Encounter.status",
		codes: []weightedCode{
			{"planned", "", 5, false},
			{"arrived", "", 3, false},
			{"triaged", "", 2, false},
			{"in-progress", "", 6, false},
			{"onleave", "", 2, false},
			{"finished", "", 74, false},
			{"cancelled", "", 4, false},
			{"entered-in-error", "", 2, false},
			{"unknown", "", 2, false},
		},
	}
	encounterClass = codeList{
		path: "Encounter.class", system: "http://terminology.hl7.org/CodeSystem/v3-ActCode",
		codes: []weightedCode{
			{"AMB", "ambulatory", 50, false},
			{"EMER", "emergency", 12, false},
			{"FLD", "field", 2, false},
			{"HH", "home health", 4, false},
			{"IMP", "inpatient encounter", 12, false},
			{"ACUTE", "inpatient acute", 4, false},
			{"NONAC", "inpatient non-acute", 2, false},
			{"OBSENC", "observation encounter", 3, false},
			{"PRENC", "pre-admission", 3, false},
			{"SS", "short stay", 3, false},
			{"VR", "virtual", 5, false},
		},
	}
)

// These elements have no documented codes. The codes are from R4 value sets.
var (
	encounterPriority = codeList{
		path: "Encounter.priority", system: "http://terminology.hl7.org/CodeSystem/v3-ActPriority",
		codes: []weightedCode{
			{"R", "routine", 75, false},
			{"UR", "urgent", 13, false},
			{"EL", "elective", 10, false},
			{"EM", "emergency", 2, false},
		},
	}
	encounterParticipant = codeList{
		path: "Encounter.participant.type", system: "http://terminology.hl7.org/CodeSystem/v3-ParticipationType",
		codes: []weightedCode{
			{"ATND", "attender", 50, false},
			{"PPRF", "primary performer", 30, false},
			{"SPRF", "secondary performer", 5, false},
			{"CON", "consultant", 10, false},
			{"REF", "referrer", 5, false},
		},
	}
	encounterDiagnosisUse = codeList{
		path: "Encounter.diagnosis.use", system: "http://terminology.hl7.org/CodeSystem/diagnosis-role",
		codes: []weightedCode{
			{"AD", "Admission diagnosis", 30, false},
			{"DD", "Discharge diagnosis", 40, false},
			{"CC", "Chief complaint", 15, false},
			{"CM", "Comorbidity diagnosis", 10, false},
			{"billing", "Billing", 5, false},
		},
	}
	encounterAdmitSource = codeList{
		path: "Encounter.hospitalization.admitSource", system: "http://terminology.hl7.org/CodeSystem/admit-source",
		codes: []weightedCode{
			{"hosp-trans", "Transferred from other hospital", 8, false},
			{"emd", "From accident/emergency department", 37, false},
			{"outp", "From outpatient department", 20, false},
			{"gp", "General Practitioner referral", 25, false},
			{"nursing", "From nursing home", 10, false},
		},
	}
	encounterDiet = codeList{
		path: "Encounter.hospitalization.dietPreference", system: "http://terminology.hl7.org/CodeSystem/diet",
		codes: []weightedCode{
			{"vegetarian", "Vegetarian", 35, false},
			{"dairy-free", "Dairy Free", 15, false},
			{"nut-free", "Nut Free", 10, false},
			{"gluten-free", "Gluten Free", 15, false},
			{"vegan", "Vegan", 10, false},
			{"halal", "Halal", 10, false},
			{"kosher", "Kosher", 5, false},
		},
	}
	encounterCourtesy = codeList{
		path: "Encounter.hospitalization.specialCourtesy", system: "http://terminology.hl7.org/CodeSystem/v3-EncounterSpecialCourtesy",
		codes: []weightedCode{
			{"NRM", "normal courtesy", 80, false},
			{"EXT", "extended courtesy", 10, false},
			{"STF", "staff", 10, false},
		},
	}
	encounterArrangement = codeList{
		path: "Encounter.hospitalization.specialArrangement", system: "http://terminology.hl7.org/CodeSystem/encounter-special-arrangements",
		codes: []weightedCode{
			{"wheel", "Wheelchair", 50, false},
			{"add-bed", "Additional bedding", 15, false},
			{"int", "Interpreter", 25, false},
			{"att", "Attendant", 10, false},
		},
	}
	encounterDischarge = codeList{
		path: "Encounter.hospitalization.dischargeDisposition", system: "http://terminology.hl7.org/CodeSystem/discharge-disposition",
		codes: []weightedCode{
			{"home", "Home", 75, false},
			{"other-hcf", "Other healthcare facility", 8, false},
			{"rehab", "Rehabilitation", 8, false},
			{"long", "Long-term care", 4, false},
			{"aadvice", "Left against advice", 3, false},
			{"hosp", "Hospice", 2, false},
		},
	}
	encounterPlace = codeList{
		path: "Encounter.location.physicalType", system: "http://terminology.hl7.org/CodeSystem/location-physical-type",
		codes: []weightedCode{
			{"ro", "Room", 20, false},
			{"wa", "Ward", 50, false},
			{"bd", "Bed", 30, false},
		},
	}
)
