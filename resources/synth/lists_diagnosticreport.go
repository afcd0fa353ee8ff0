package synth

var (
	reportStatus = codeList{
		path: "DiagnosticReport.status",
		codes: []weightedCode{
			{"final", "", 70, false},
			{"preliminary", "", 15, false},
			{"amended", "", 10, false},
			{"registered", "", 5, false},
		},
	}
	// reportOtherStatus are statuses that are written only on request, because the documented
	// weights add up without them.
	reportOtherStatus = []string{"partial", "corrected", "appended", "cancelled", "entered-in-error"}

	reportCategory = codeList{
		path: "DiagnosticReport.category", system: "http://terminology.hl7.org/CodeSystem/v2-0074",
		codes: []weightedCode{
			{"LAB", "Laboratory", 1, false},
			{"RAD", "Radiology", 1, false},
			{"PAT", "Pathology (gross & histopath, not surgical)", 1, false},
			{"CUS", "Cardiac Ultrasound", 1, false},
			{"NRS", "Nursing Service Measures", 1, false},
		},
	}

	// reportVariant are the kinds of reports: three documented ones, and one for each remaining
	// category.
	reportVariant = codeList{
		path: "DiagnosticReport (variant)",
		codes: []weightedCode{
			{"lab-panel", "", 50, false},
			{"radiology", "", 25, false},
			{"pathology", "", 13, false},
			{"cardiac-ultrasound", "", 7, false},
			{"nursing", "", 5, false},
		},
	}
)
