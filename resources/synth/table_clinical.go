package synth

import "slices"

// clinicalRows are the types for events in the history of a patient.
var clinicalRows = []typeRow{
	{
		name: "Condition", doc: "Diagnoses and problems with onset and end.", make: condition,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleObservation},
		codes: []string{"Condition.code", "Condition.bodySite", "Condition.stage.summary", "Condition.stage.type", "Condition.evidence.code"},
	},
	{
		name: "Encounter", doc: "Visits and hospital stays.", make: encounter,
		roles: []role{
			rolePatient, rolePractitioner, roleOrganization, roleLocation, roleServiceRequest, roleCondition,
			roleEpisodeOfCare, roleAppointment,
		},
		options: []Option{{Name: "class", Type: "code", Choices: encounterClass.all(), Doc: "The class; random by default."}},
		codes:   []string{"Encounter.type", "Encounter.serviceType", "Encounter.reasonCode"},
	},
	{
		name: "Observation", doc: "Vital signs and results of laboratory tests.", make: observation,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleServiceRequest, roleDevice},
		options: []Option{{Name: "category", Type: "code", Choices: observationCategory.all(), Doc: "The category; random by default."}},
		codes:   []string{"Observation.code"},
	},
	{
		name: "DiagnosticReport", doc: "Reports of laboratory tests, imaging, pathology and nursing.", make: diagnosticReport,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleServiceRequest, roleObservation},
		options: []Option{
			{Name: "variant", Type: "code", Choices: reportVariant.all(), Doc: "The kind of report; random by default."},
			{Name: "status", Type: "code", Choices: slices.Concat(reportStatus.all(), reportOtherStatus), Doc: "The status; random by default."},
		},
		codes: []string{"DiagnosticReport.code", "DiagnosticReport.conclusionCode"},
	},
	{
		name: "Immunization", doc: "Vaccinations, including those not done, with reasons.", make: immunization,
		roles: []role{rolePatient, roleEncounter, rolePractitioner, roleLocation},
		codes: []string{"Immunization.vaccineCode"},
	},
	{
		name: "MedicationRequest", doc: "Prescriptions with dosage and dispense.", make: medicationRequest,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleOrganization, roleCondition, roleMedication},
		options: []Option{{Name: "category", Type: "code", Choices: medicationRequestCategory.all(), Doc: "The category; random by default."}},
		codes:   []string{"MedicationRequest.medicationCodeableConcept", "MedicationRequest.reasonCode", "MedicationRequest.dosageInstruction.route"},
	},
	{
		name: "ServiceRequest", doc: "Orders of laboratory tests, imaging, referrals and rehabilitation.", make: serviceRequest,
		roles:   []role{rolePatient, roleEncounter, rolePractitioner, roleCondition},
		options: []Option{{Name: "category", Type: "code", Choices: serviceRequestCategory.all(), Doc: "The category of the order; random by default."}},
		codes:   []string{"ServiceRequest.code", "ServiceRequest.reasonCode"},
	},
	{
		name: "ImagingStudy", doc: "Imaging studies with series and instances.", make: imagingStudy,
		roles: []role{
			rolePatient, roleEncounter, rolePractitioner, roleLocation, roleServiceRequest, roleEndpoint, roleProcedure,
		},
		options: []Option{
			{Name: "modality", Type: "code", Choices: imagingModality.all(), Doc: "The modality; random by default."},
			{Name: "series", Type: "integer", Low: 1, High: 50, Doc: "Series in a study, unless it is only registered or cancelled; random by default."},
		},
		codes: []string{"ImagingStudy.procedureCode", "ImagingStudy.reasonCode"},
	},
}

// clinicalLists are the code lists of these types.
var clinicalLists = []*codeList{
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
