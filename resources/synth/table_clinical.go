package synth

import "slices"

// clinicalRows are the types that tell what happened to a patient.
var clinicalRows = []typeRow{
	{
		name: "Condition", doc: "Diagnoses and problems with their course.", make: condition,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleObservation},
		codes: []string{"Condition.code", "Condition.bodySite", "Condition.stage.summary", "Condition.stage.type", "Condition.evidence.code"},
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
	{
		name: "Immunization", doc: "Vaccinations, and why they were not done.", make: immunization,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleLocation},
		codes: []string{"Immunization.vaccineCode"},
	},
	{
		name: "MedicationRequest", doc: "Prescriptions with dosage and dispense.", make: medicationRequest,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleOrganization, roleCondition, roleMedication},
		options: []Option{{Name: "category", Type: "code", Choices: medicationRequestCategory.all(), Doc: "The category; drawn when it is not said."}},
		codes:   []string{"MedicationRequest.medicationCodeableConcept", "MedicationRequest.reasonCode", "MedicationRequest.dosageInstruction.route"},
	},
	{
		name: "ServiceRequest", doc: "Orders of laboratory tests, images, referrals and rehabilitation.", make: serviceRequest,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleCondition},
		options: []Option{{Name: "category", Type: "code", Choices: serviceRequestCategory.all(), Doc: "What is ordered; drawn when it is not said."}},
		codes:   []string{"ServiceRequest.code", "ServiceRequest.reasonCode"},
	},
	{
		name: "ImagingStudy", doc: "Studies of images with series and instances.", make: imagingStudy,
		roles: []role{
			rolePatient, roleEncounter, rolePractitioner, roleLocation, roleServiceRequest, roleEndpoint, roleProcedure,
		},
		options: []Option{
			{Name: "modality", Type: "code", Choices: imagingModality.all(), Doc: "The modality; drawn when it is not said."},
			{Name: "series", Type: "integer", Low: 1, High: 50, Doc: "How many series a study has that is neither registered nor cancelled; drawn when it is not said."},
		},
		codes: []string{"ImagingStudy.procedureCode", "ImagingStudy.reasonCode"},
	},
}

// clinicalLists are the lists of the document for them, and those of R4 beside them.
var clinicalLists = []*list{
	&conditionClinical, &conditionVerification, &conditionCategory, &conditionSeverity,
	&encounterStatus, &encounterClass, &encounterPriority, &encounterParticipant, &encounterDiagnosisUse,
	&encounterAdmitSource, &encounterDiet, &encounterCourtesy, &encounterArrangement, &encounterDischarge, &encounterPlace,
	&observationStatus, &observationCategory, &interpretation, &dataAbsentReason,
	&reportStatus, &reportCategory,
	&immunizationStatus, &immunizationReason, &immunizationRoute, &immunizationOrigin, &immunizationSite, &immunizationFunction,
	&medicationRequestStatus, &medicationRequestIntent, &medicationRequestCategory, &medicationRequestPriority,
	&medicationRequestReason, &medicationSubstitution,
	&serviceRequestStatus, &serviceRequestIntent, &serviceRequestPriority, &serviceRequestCategory,
	&imagingStatus, &imagingModality,
}
