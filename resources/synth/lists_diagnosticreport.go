package synth

var (
	reportStatus = list{
		path: "DiagnosticReport.status",
		codes: []listed{
			{"final", "", 70, false},
			{"preliminary", "", 15, false},
			{"amended", "", 10, false},
			{"registered", "", 5, false},
		},
	}
	// reportOtherStatus are states that are written only when they are asked for: the weights
	// of the document leave no room for them.
	reportOtherStatus = []string{"partial", "corrected", "appended", "cancelled", "entered-in-error"}

	reportCategory = list{
		path: "DiagnosticReport.category", system: "http://terminology.hl7.org/CodeSystem/v2-0074",
		codes: []listed{
			{"LAB", "Laboratory", 1, false},
			{"RAD", "Radiology", 1, false},
			{"PAT", "Pathology (gross & histopath, not surgical)", 1, false},
			{"CUS", "Cardiac Ultrasound", 1, false},
			{"NRS", "Nursing Service Measures", 1, false},
		},
	}

	// reportVariant are the kinds of reports: three that the document names, and one for each
	// category that these do not have.
	reportVariant = list{
		path: "DiagnosticReport (variant)",
		codes: []listed{
			{"lab-panel", "", 50, false},
			{"radiology", "", 25, false},
			{"pathology", "", 13, false},
			{"cardiac-ultrasound", "", 7, false},
			{"nursing", "", 5, false},
		},
	}
)
