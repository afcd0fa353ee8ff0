package synth

var (
	conditionClinical = list{
		path: "Condition.clinicalStatus", system: "http://terminology.hl7.org/CodeSystem/condition-clinical",
		codes: []listed{
			{"active", "Active", 50, false},
			{"recurrence", "Recurrence", 4, false},
			{"relapse", "Relapse", 3, false},
			{"inactive", "Inactive", 6, false},
			{"remission", "Remission", 7, false},
			{"resolved", "Resolved", 30, false},
		},
	}
	conditionVerification = list{
		path: "Condition.verificationStatus", system: "http://terminology.hl7.org/CodeSystem/condition-ver-status",
		codes: []listed{
			{"unconfirmed", "Unconfirmed", 5, false},
			{"provisional", "Provisional", 6, false},
			{"differential", "Differential", 4, false},
			{"confirmed", "Confirmed", 80, false},
			{"refuted", "Refuted", 3, false},
			{"entered-in-error", "Entered in Error", 2, false},
		},
	}
	conditionCategory = list{
		path: "Condition.category", system: "http://terminology.hl7.org/CodeSystem/condition-category",
		codes: []listed{
			{"problem-list-item", "Problem List Item", 40, false},
			{"encounter-diagnosis", "Encounter Diagnosis", 60, false},
		},
	}
	conditionSeverity = list{
		path: "Condition.severity", // no code system of R4 has these as severities of a condition
		codes: []listed{
			{"mild", "Mild", 50, false},
			{"moderate", "Moderate", 35, false},
			{"severe", "Severe", 15, false},
		},
	}
)
