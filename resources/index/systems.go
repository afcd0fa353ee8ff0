package index

// systems are code systems and naming systems that many documents use. Values store them as
// numbers, so new ones must be appended and none removed.
var systems = [...]string{
	"http://loinc.org",
	"http://snomed.info/sct",
	"http://unitsofmeasure.org",
	"http://www.nlm.nih.gov/research/umls/rxnorm",
	"http://hl7.org/fhir/sid/icd-10-cm",
	"http://hl7.org/fhir/sid/icd-10",
	"http://hl7.org/fhir/sid/cvx",
	"http://hl7.org/fhir/sid/ndc",
	"http://hl7.org/fhir/sid/us-npi",
	"http://hl7.org/fhir/sid/us-ssn",
	"urn:ietf:bcp:47",
	"urn:ietf:bcp:13",
	"urn:ietf:rfc:3986",
	"urn:iso:std:iso:3166",
	"urn:iso:std:iso:4217",
	"http://www.ama-assn.org/go/cpt",
	"http://terminology.hl7.org/CodeSystem/observation-category",
	"http://terminology.hl7.org/CodeSystem/condition-category",
	"http://terminology.hl7.org/CodeSystem/condition-clinical",
	"http://terminology.hl7.org/CodeSystem/condition-ver-status",
	"http://terminology.hl7.org/CodeSystem/v3-ActCode",
	"http://terminology.hl7.org/CodeSystem/v3-ParticipationType",
	"http://terminology.hl7.org/CodeSystem/v3-MaritalStatus",
	"http://terminology.hl7.org/CodeSystem/v3-RoleCode",
	"http://terminology.hl7.org/CodeSystem/v3-NullFlavor",
	"http://terminology.hl7.org/CodeSystem/v2-0203",
	"http://terminology.hl7.org/CodeSystem/v2-0074",
	"http://terminology.hl7.org/CodeSystem/diagnostic-service-section-id",
	"http://terminology.hl7.org/CodeSystem/claim-type",
	"http://terminology.hl7.org/CodeSystem/ex-serviceplace",
	"http://terminology.hl7.org/CodeSystem/organization-type",
	"http://hl7.org/fhir/administrative-gender",
	"http://hl7.org/fhir/observation-status",
	"http://hl7.org/fhir/encounter-status",
	"http://hl7.org/fhir/request-intent",
	"http://hl7.org/fhir/request-status",
	"http://hl7.org/fhir/event-status",
	"http://hl7.org/fhir/fm-status",
	"http://hl7.org/fhir/diagnostic-report-status",
	"http://hl7.org/fhir/CodeSystem/medicationrequest-status",
	"http://hl7.org/fhir/CodeSystem/medicationrequest-intent",
	"http://hl7.org/fhir/publication-status",
}

// systemNumber returns the number of a system.
func systemNumber(s string) (int, bool) {
	if len(s) < len("http://loinc.org") || len(s) > 80 || s[0] != 'h' && s[0] != 'u' {
		return 0, false
	}
	for i := range systems { // lengths usually differ, and ends differ more often than beginnings
		if t := systems[i]; len(t) == len(s) && t[len(t)-1] == s[len(s)-1] && t == s {
			return i, true
		}
	}
	return 0, false
}

// systemOf returns the system of a number.
func systemOf(n uint64) (string, bool) {
	if n >= uint64(len(systems)) {
		return "", false
	}
	return systems[n], true
}
