package synth

// clinicalRows are the types that tell what happened to a patient.
var clinicalRows = []typeRow{
	{
		name: "Condition", doc: "Diagnoses and problems with their course.", make: condition,
		roles: []role{rolePatient, roleEncounter, rolePractitioner},
		codes: []string{"Condition.code", "Condition.bodySite", "Condition.evidence.code"},
	},
}

// clinicalLists are the lists of the document for them.
var clinicalLists = []*list{&conditionClinical, &conditionVerification, &conditionCategory, &conditionSeverity}
