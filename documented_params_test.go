package main_test

// documentedParams are the search parameters that the service documents for each type:
// the name, how values are compared, and the elements that have them.
var documentedParams = map[string][][3]string{
	"Patient": {
		{"identifier", "token", "identifier"}, {"name", "string", "name"}, {"family", "string", "name.family"}, {"given", "string", "name.given"},
		{"gender", "token", "gender"}, {"birthdate", "date", "birthDate"}, {"address", "string", "address"}, {"address-city", "string", "address.city"},
		{"address-state", "string", "address.state"}, {"address-postalcode", "string", "address.postalCode"}, {"telecom", "telecom", "telecom"},
		{"active", "token", "active"}, {"general-practitioner", "reference", "generalPractitioner"}, {"organization", "reference", "managingOrganization"},
	},
	"Encounter": {
		{"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"status", "token", "status"}, {"class", "token", "class"},
		{"type", "token", "type"}, {"date", "date", "period"}, {"participant", "reference", "participant.individual"},
		{"service-provider", "reference", "serviceProvider"},
	},
	"Condition": {
		{"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"code", "token", "code"}, {"clinical-status", "token", "clinicalStatus"},
		{"verification-status", "token", "verificationStatus"}, {"category", "token", "category"}, {"onset-date", "date", "onsetDateTime onsetPeriod"},
		{"severity", "token", "severity"}, {"encounter", "reference", "encounter"},
	},
	"MedicationRequest": {
		{"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"code", "token", "medicationCodeableConcept"}, {"status", "token", "status"},
		{"intent", "token", "intent"}, {"authoredon", "date", "authoredOn"}, {"requester", "reference", "requester"}, {"encounter", "reference", "encounter"},
	},
	"DiagnosticReport": {
		{"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"code", "token", "code"}, {"category", "token", "category"},
		{"status", "token", "status"}, {"date", "date", "effectiveDateTime"}, {"issued", "date", "issued"}, {"encounter", "reference", "encounter"},
		{"performer", "reference", "performer"}, {"result", "reference", "result"}, {"conclusion", "string", "conclusion"},
	},
	"Immunization": {
		{"patient", "reference", "patient"}, {"vaccine-code", "token", "vaccineCode"}, {"status", "token", "status"}, {"date", "date", "occurrenceDateTime"},
		{"lot-number", "string", "lotNumber"}, {"performer", "reference", "performer.actor"}, {"site", "token", "site"}, {"route", "token", "route"},
	},
	"Device": {
		{"identifier", "token", "identifier"}, {"patient", "reference", "patient"}, {"status", "token", "status"}, {"type", "token", "type"},
		{"manufacturer", "string", "manufacturer"}, {"model", "string", "modelNumber"}, {"udi-carrier", "string", "udiCarrier.carrierHRF"},
		{"udi-di", "string", "udiCarrier.deviceIdentifier"}, {"device-name", "string", "deviceName.name type.text type.coding.display"},
		{"organization", "reference", "owner"}, {"location", "reference", "location"},
	},
	"RelatedPerson": {
		{"identifier", "token", "identifier"}, {"patient", "reference", "patient"}, {"name", "string", "name"}, {"active", "token", "active"},
		{"gender", "token", "gender"}, {"birthdate", "date", "birthDate"}, {"relationship", "token", "relationship"}, {"telecom", "telecom", "telecom"},
		{"address", "string", "address"}, {"address-city", "string", "address.city"}, {"address-state", "string", "address.state"},
	},
	"ServiceRequest": {
		{"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"code", "token", "code"}, {"category", "token", "category"},
		{"status", "token", "status"}, {"intent", "token", "intent"}, {"priority", "token", "priority"}, {"authored", "date", "authoredOn"},
		{"encounter", "reference", "encounter"}, {"requester", "reference", "requester"}, {"performer", "reference", "performer"},
	},
	"SupplyRequest": {
		{"identifier", "token", "identifier"}, {"status", "token", "status"}, {"category", "token", "category"}, {"date", "date", "authoredOn"},
		{"requester", "reference", "requester"}, {"subject", "reference", "deliverTo"}, {"supplier", "reference", "supplier"}, {"priority", "token", "priority"},
	},
	"HealthcareService": {
		{"active", "token", "active"}, {"name", "string", "name"}, {"organization", "reference", "providedBy"}, {"location", "reference", "location"},
		{"service-category", "token", "category"}, {"service-type", "token", "type"}, {"specialty", "token", "specialty"},
	},
	"OrganizationAffiliation": {
		{"identifier", "token", "identifier"}, {"active", "token", "active"}, {"date", "date", "period"}, {"email", "email", "telecom"},
		{"phone", "phone", "telecom"}, {"role", "token", "code"}, {"specialty", "token", "specialty"}, {"endpoint", "reference", "endpoint"},
		{"location", "reference", "location"}, {"network", "reference", "network"}, {"participating-organization", "reference", "participatingOrganization"},
		{"primary-organization", "reference", "organization"}, {"service", "reference", "healthcareService"},
	},
	"ResearchStudy": {
		{"identifier", "token", "identifier"}, {"title", "string", "title"}, {"status", "token", "status"}, {"phase", "token", "phase"},
		{"category", "token", "category"}, {"condition", "token", "condition"}, {"date", "date", "period"}, {"sponsor", "reference", "sponsor"},
		{"principalinvestigator", "reference", "principalInvestigator"}, {"site", "reference", "site"},
	},
	"ResearchSubject": {
		{"identifier", "token", "identifier"}, {"patient", "reference", "individual"}, {"individual", "reference", "individual"}, {"status", "token", "status"},
		{"study", "reference", "study"}, {"date", "date", "period"},
	},
	"Group": {
		{"identifier", "token", "identifier"}, {"type", "token", "type"}, {"actual", "token", "actual"}, {"code", "token", "code"}, {"name", "string", "name"},
		{"managing-entity", "reference", "managingEntity"}, {"member", "reference", "member.entity"}, {"characteristic", "characteristic", "characteristic"},
		{"characteristic-value", "token", "characteristic.valueBoolean characteristic.valueCodeableConcept"}, {"exclude", "token", "characteristic.exclude"},
	},
	"Library": {
		{"identifier", "token", "identifier"}, {"url", "uri", "url"}, {"version", "token", "version"}, {"status", "token", "status"}, {"type", "token", "type"},
		{"content-type", "token", "content.contentType"}, {"topic", "token", "topic"}, {"name", "string", "name"}, {"title", "string", "title"},
		{"publisher", "string", "publisher"}, {"description", "string", "description"}, {"composed-of", "artifact", "relatedArtifact"},
		{"depends-on", "artifact", "relatedArtifact"}, {"derived-from", "artifact", "relatedArtifact"}, {"predecessor", "artifact", "relatedArtifact"},
		{"successor", "artifact", "relatedArtifact"},
	},
	"Measure": {
		{"url", "uri", "url"}, {"name", "string", "name"}, {"title", "string", "title"}, {"description", "string", "description"},
		{"publisher", "string", "publisher"}, {"status", "token", "status"}, {"version", "token", "version"}, {"identifier", "token", "identifier"},
		{"topic", "token", "topic"}, {"date", "date", "date"}, {"effective", "date", "effectivePeriod"},
	},
	"QuestionnaireResponse": {
		{"questionnaire", "canonical", "questionnaire"}, {"patient", "reference", "subject"}, {"subject", "reference", "subject"},
		{"author", "reference", "author"}, {"encounter", "reference", "encounter"}, {"authored", "date", "authored"}, {"status", "token", "status"},
	},
	"ImagingStudy": {
		{"identifier", "token", "identifier"}, {"patient", "reference", "subject"}, {"subject", "reference", "subject"}, {"status", "token", "status"},
		{"modality", "token", "modality series.modality"}, {"started", "date", "started"}, {"encounter", "reference", "encounter"},
		{"referrer", "reference", "referrer"}, {"basedon", "reference", "basedOn"},
	},
	"CodeSystem": {{"url", "uri", "url"}},
	"ValueSet":   {{"url", "uri", "url"}},
}

// documentedIncludes are the includes that the service documents.
var documentedIncludes = []string{
	"Patient:general-practitioner", "Patient:organization", "Encounter:patient", "Encounter:participant", "Encounter:service-provider",
	"Condition:patient", "Condition:encounter", "DiagnosticReport:subject", "DiagnosticReport:result", "DiagnosticReport:performer",
	"Immunization:patient", "Immunization:performer", "RelatedPerson:patient", "QuestionnaireResponse:questionnaire",
}

// documentedCompartment are the types that the service documents for searches of a
// patient's compartment.
var documentedCompartment = []string{
	"Observation", "Condition", "Encounter", "MedicationRequest", "DiagnosticReport", "Immunization", "Device", "RelatedPerson", "ImagingStudy",
	"ResearchSubject", "QuestionnaireResponse",
}
