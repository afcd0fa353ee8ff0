package synth

var (
	conditionClinical = codeList{
		path: "Condition.clinicalStatus", system: "http://terminology.hl7.org/CodeSystem/condition-clinical",
		codes: []weightedCode{
			{"active", "Active", 50, false},
			{"recurrence", "Recurrence", 4, false},
			{"relapse", "Relapse", 3, false},
			{"inactive", "Inactive", 6, false},
			{"remission", "Remission", 7, false},
			{"resolved", "Resolved", 30, false},
		},
	}
	conditionVerification = codeList{
		path: "Condition.verificationStatus", system: "http://terminology.hl7.org/CodeSystem/condition-ver-status",
		codes: []weightedCode{
			{"unconfirmed", "Unconfirmed", 5, false},
			{"provisional", "Provisional", 6, false},
			{"differential", "Differential", 4, false},
			{"confirmed", "Confirmed", 80, false},
			{"refuted", "Refuted", 3, false},
			{"entered-in-error", "Entered in Error", 2, false},
		},
	}
	conditionCategory = codeList{
		path: "Condition.category", system: "http://terminology.hl7.org/CodeSystem/condition-category",
		codes: []weightedCode{
			{"problem-list-item", "Problem List Item", 40, false},
			{"encounter-diagnosis", "Encounter Diagnosis", 60, false},
		},
	}
	conditionSeverity = codeList{
		path: "Condition.severity", // no code system of R4 contains these as severities of a condition
		codes: []weightedCode{
			{"mild", "Mild", 50, false},
			{"moderate", "Moderate", 35, false},
			{"severe", "Severe", 15, false},
		},
	}
)
