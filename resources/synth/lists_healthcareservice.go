package synth

var (
	referralMethod = codeList{
		path: "HealthcareService.referralMethod", system: "http://terminology.hl7.org/CodeSystem/service-referral-method",
		codes: []weightedCode{
			{"phone", "Phone", 35, false},
			{"fax", "Fax", 15, false},
			{"elec", "Secure Messaging", 25, false},
			{"mail", "Mail", 10, false},
			{"semail", "Secure Email", 15, false},
		},
	}
	weekdays = codeList{
		path: "HealthcareService.availableTime.daysOfWeek",
		codes: []weightedCode{
			{"mon", "", 14, false},
			{"tue", "", 14, false},
			{"wed", "", 14, false},
			{"thu", "", 14, false},
			{"fri", "", 14, false},
			{"sat", "", 25, false},
			{"sun", "", 5, false},
		},
	}
	affiliationRole = codeList{
		path: "OrganizationAffiliation.code", system: "http://hl7.org/fhir/organization-role",
		codes: []weightedCode{
			{"provider", "Provider", 30, false},
			{"agency", "Agency", 8, false},
			{"research", "Research", 8, false},
			{"payer", "Payer", 12, false},
			{"diagnostics", "Diagnostics", 12, false},
			{"supplier", "Supplier", 10, false},
			{"HIE/HIO", "HIE/HIO", 8, false},
			{"member", "Member", 12, false},
		},
	}
	// The following elements have no documented codes. These are a selection from R4.
	// serviceCategory are the categories that follow from a specialty.
	serviceCategory = codeList{
		path: "HealthcareService.category", system: "http://terminology.hl7.org/CodeSystem/service-category",
		codes: []weightedCode{
			{"17", "General Practice", 1, false},
			{"14", "Emergency Department", 1, false},
			{"22", "Mental Health", 1, false},
			{"26", "Specialist Clinical Pathology", 1, false},
			{"30", "Specialist Radiology/Imaging", 1, false},
			{"31", "Specialist Surgical", 1, false},
		},
	}
	// serviceOther are the categories of services of all other specialties.
	serviceOther = codeList{
		path: "HealthcareService.category", system: "http://terminology.hl7.org/CodeSystem/service-category",
		codes: []weightedCode{
			{"35", "Hospital", 30, false},
			{"27", "Specialist Medical", 50, false},
			{"34", "Allied Health", 10, false},
			{"7", "Community Health Care", 10, false},
		},
	}
	serviceProvision = codeList{
		path: "HealthcareService.serviceProvisionCode", system: "http://terminology.hl7.org/CodeSystem/service-provision-conditions",
		codes: []weightedCode{
			{"free", "Free", 50, false},
			{"disc", "Discounts Available", 20, false},
			{"cost", "Fees apply", 30, false},
		},
	}
	serviceProgram = codeList{
		path: "HealthcareService.program", system: "http://terminology.hl7.org/CodeSystem/program",
		codes: []weightedCode{
			{"6", "Adult Day Care Program", 20, false},
			{"17", "Day Program", 30, false},
			{"22", "Hospital Admission Risk Program (HARP)", 15, false},
			{"23", "Hospital in the Home (HITH) Program", 20, false},
			{"42", "Social Support Programs", 15, false},
		},
	}
)
