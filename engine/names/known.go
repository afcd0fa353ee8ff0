package names

// A known is a code system with the names by which people know it, the most common first.
type known struct {
	url   string
	names []string
}

// knownSystems is the table of well-known names. The urls are those that HL7 assigns:
// https://terminology.hl7.org/external_terminologies.html.
func knownSystems() []known {
	return []known{
		{"http://snomed.info/sct", []string{"snomed", "snomed-ct", "sct"}},
		{"http://loinc.org", []string{"loinc"}},
		{"http://www.nlm.nih.gov/research/umls/rxnorm", []string{"rxnorm"}},
		{"http://unitsofmeasure.org", []string{"ucum"}},
		{"http://hl7.org/fhir/sid/icd-10", []string{"icd-10"}},
		{"http://hl7.org/fhir/sid/icd-10-cm", []string{"icd-10-cm"}},
		{"http://www.cms.gov/Medicare/Coding/ICD10", []string{"icd-10-pcs"}},
		{"http://fhir.de/CodeSystem/bfarm/icd-10-gm", []string{"icd-10-gm"}},
		{"http://fhir.de/CodeSystem/bfarm/ops", []string{"ops"}},
		{"http://hl7.org/fhir/sid/icd-9-cm", []string{"icd-9-cm"}},
		{"http://id.who.int/icd/release/11/mms", []string{"icd-11", "icd-11-mms"}},
		{"http://hl7.org/fhir/sid/cvx", []string{"cvx"}},
		{"http://hl7.org/fhir/sid/mvx", []string{"mvx"}},
		{"http://hl7.org/fhir/sid/ndc", []string{"ndc"}},
		{"http://www.whocc.no/atc", []string{"atc"}},
		{"http://www.ama-assn.org/go/cpt", []string{"cpt"}},
		{"http://fdasis.nlm.nih.gov", []string{"unii"}},
		{"http://human-phenotype-ontology.org", []string{"hpo"}},
		{"http://www.genenames.org", []string{"hgnc"}},
		{"http://varnomen.hgvs.org", []string{"hgvs"}},
		{"http://www.orpha.net", []string{"orphanet"}},
		{"http://nucc.org/provider-taxonomy", []string{"nucc"}},
		{"urn:ietf:bcp:47", []string{"bcp-47"}},
		{"urn:ietf:bcp:13", []string{"bcp-13", "mime"}},
		{"urn:iso:std:iso:3166", []string{"iso-3166"}},
		{"urn:iso:std:iso:4217", []string{"iso-4217"}},
		{"urn:iso:std:iso:11073:10101", []string{"mdc"}},
	}
}
