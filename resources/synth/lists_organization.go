package synth

// Organizations and locations have no documented codes. These are from R4.
var (
	organizationType = codeList{
		path: "Organization.type", system: "http://terminology.hl7.org/CodeSystem/organization-type",
		codes: []weightedCode{
			{"prov", "Healthcare Provider", 60, false},
			{"dept", "Hospital Department", 12, false},
			{"team", "Organizational team", 5, false},
			{"govt", "Government", 3, false},
			{"ins", "Insurance Company", 3, false},
			{"pay", "Payer", 2, false},
			{"edu", "Educational Institute", 3, false},
			{"reli", "Religious Institution", 2, false},
			{"crs", "Clinical Research Sponsor", 3, false},
			{"cg", "Community Group", 2, false},
			{"bus", "Non-Healthcare Business or Corporation", 3, false},
			{"other", "Other", 2, false},
		},
	}
	organizationContact = codeList{
		path: "Organization.contact.purpose", system: "http://terminology.hl7.org/CodeSystem/contactentity-type",
		codes: []weightedCode{
			{"BILL", "Billing", 20, false},
			{"ADMIN", "Administrative", 30, false},
			{"HR", "Human Resource", 10, false},
			{"PAYOR", "Payor", 10, false},
			{"PATINF", "Patient", 20, false},
			{"PRESS", "Press", 10, false},
		},
	}
	locationStatus = codeList{
		path: "Location.status",
		codes: []weightedCode{
			{"active", "", 92, false},
			{"suspended", "", 4, false},
			{"inactive", "", 4, false},
		},
	}
	locationOperational = codeList{
		path: "Location.operationalStatus", system: "http://terminology.hl7.org/CodeSystem/v2-0116",
		codes: []weightedCode{
			{"C", "Closed", 5, false},
			{"H", "Housekeeping", 10, false},
			{"I", "Isolated", 5, false},
			{"K", "Contaminated", 5, false},
			{"O", "Occupied", 50, false},
			{"U", "Unoccupied", 25, false},
		},
	}
	locationType = codeList{
		path: "Location.type", system: "http://terminology.hl7.org/CodeSystem/v3-RoleCode",
		codes: []weightedCode{
			{"HOSP", "Hospital", 15, false},
			{"GACH", "Hospitals; General Acute Care Hospital", 15, false},
			{"OF", "Outpatient facility", 15, false},
			{"PC", "Primary care clinic", 25, false},
			{"RH", "Rehabilitation hospital", 10, false},
			{"SNF", "Skilled nursing facility", 10, false},
			{"PHARM", "Pharmacy", 10, false},
		},
	}
	// locationUnit are types of locations within another location.
	locationUnit = codeList{
		path: "Location.type", system: "http://terminology.hl7.org/CodeSystem/v3-RoleCode",
		codes: []weightedCode{
			{"HU", "Hospital unit", 20, false},
			{"ER", "Emergency room", 15, false},
			{"ICU", "Intensive care unit", 15, false},
			{"CCU", "Coronary care unit", 10, false},
			{"PEDU", "Pediatric unit", 10, false},
			{"HRAD", "radiology unit", 15, false},
			{"HLAB", "hospital laboratory", 15, false},
		},
	}
	locationSite = codeList{
		path: "Location.physicalType", system: "http://terminology.hl7.org/CodeSystem/location-physical-type",
		codes: []weightedCode{
			{"si", "Site", 40, false},
			{"bu", "Building", 50, false},
			{"ho", "House", 5, false},
			{"ve", "Vehicle", 5, false},
		},
	}
	// locationPart are physical types of parts of a building.
	locationPart = codeList{
		path: "Location.physicalType", system: "http://terminology.hl7.org/CodeSystem/location-physical-type",
		codes: []weightedCode{
			{"wi", "Wing", 10, false},
			{"wa", "Ward", 25, false},
			{"lvl", "Level", 5, false},
			{"co", "Corridor", 3, false},
			{"ro", "Room", 35, false},
			{"bd", "Bed", 20, false},
			{"ca", "Cabinet", 2, false},
		},
	}
)
