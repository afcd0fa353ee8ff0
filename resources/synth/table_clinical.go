package synth

import "slices"

// clinicalRows are the types that tell what happened to a patient.
var clinicalRows = []typeRow{
	{
		name: "Condition", doc: "Diagnoses and problems with their course.", make: condition,
		roles: []role{rolePatient, roleEncounter, rolePractitioner},
		codes: []string{"Condition.code", "Condition.bodySite", "Condition.evidence.code"},
	},
	{
		name: "Encounter", doc: "Visits and stays in hospital.", make: encounter,
		roles: []role{
			rolePatient, rolePractitioner, roleOrganization, roleLocation, roleServiceRequest, roleCondition,
			roleEpisodeOfCare, roleAppointment,
		},
		options: []Option{{Name: "class", Type: "code", Choices: encounterClass.all(), Doc: "The class; drawn when it is not said."}},
		codes:   []string{"Encounter.type", "Encounter.serviceType", "Encounter.reasonCode"},
	},
	{
		name: "Observation", doc: "Vital signs and results of laboratory tests.", make: observation,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleServiceRequest, roleDevice},
		options: []Option{{Name: "category", Type: "code", Choices: observationCategory.all(), Doc: "The category; drawn when it is not said."}},
		codes:   []string{"Observation.code"},
	},
	{
		name: "DiagnosticReport", doc: "Reports of laboratories, of images, of pathology and of nurses.", make: diagnosticReport,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleServiceRequest, roleObservation},
		options: []Option{
			{Name: "variant", Type: "code", Choices: reportVariant.all(), Doc: "What is reported; drawn when it is not said."},
			{Name: "status", Type: "code", Choices: slices.Concat(reportStatus.all(), reportOtherStatus), Doc: "The status; drawn when it is not said."},
		},
		codes: []string{"DiagnosticReport.code", "DiagnosticReport.conclusionCode"},
	},
}

// clinicalLists are the lists of the document for them, and those of R4 beside them.
var clinicalLists = []*list{
	&conditionClinical, &conditionVerification, &conditionCategory, &conditionSeverity,
	&encounterStatus, &encounterClass, &encounterPriority, &encounterParticipant, &encounterDiagnosisUse,
	&encounterAdmitSource, &encounterDiet, &encounterCourtesy, &encounterArrangement, &encounterDischarge, &encounterPlace,
	&observationStatus, &observationCategory, &interpretation, &dataAbsentReason,
	&reportStatus, &reportCategory,
}
