package browser_test

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// aPatient is one of the population with a long history.
const aPatient = "42-30"

// storePopulation stores synthetic patients, whose diagnoses have codes of ICD-10-CM.
func storePopulation(t *testing.T, data string) {
	t.Helper()
	generate := backendtest.Released(t, "generate", "population", "--patients", "40", "--seed", "42", "--output", "store", "--data", data, "--codes", "Condition.code=ecl:"+icd10cm+"|*")
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("generate: %v: %s", err, out)
	}
}

// storeHarmful stores a patient, a condition and a measurement whose texts would do harm.
func storeHarmful(t *testing.T, server *backendtest.Server) {
	t.Helper()
	subject := map[string]any{"reference": "Patient/harmful", "display": harmText}
	long := strings.Repeat("very long ", 10_000)
	for path, resource := range map[string]map[string]any{
		"Patient/harmful": {"name": []any{map[string]any{"text": harmText}}, "address": []any{map[string]any{"text": long}}},
		"Condition/harmful": {
			"subject": subject, "onsetDateTime": "2020-02-03", "note": []any{map[string]any{"text": long}},
			"code": map[string]any{"text": harmText, "coding": []any{map[string]any{"system": "javascript:alert(1)", "code": "javascript:alert(2)", "display": harmText}, map[string]any{"system": harmful, "code": "a", "display": long}}},
		},
		"Observation/harmful": {
			"status": "final", "subject": subject, "effectiveDateTime": "2020-02-03",
			"code": map[string]any{"text": harmText}, "valueQuantity": map[string]any{"value": 1, "unit": harmText},
		},
	} {
		resource["resourceType"], resource["id"], _ = strings.Cut(path, "/")
		putResource(t, server.URL, resource)
	}
}

// dataPages are the pages about what is stored.
func dataPages() map[string]string {
	return map[string]string{
		"data":            "data",
		"data-search":     pageOf("data", "type", "Condition"),
		"data-words":      pageOf("data", "type", "Condition", "p.code", "fracture femur", "how.code", "below"),
		"data-resource":   pageOf("resource", "type", "Patient", "id", aPatient),
		"data-timeline":   pageOf("timeline", "patient", aPatient),
		"data-charts":     pageOf("charts", "patient", aPatient),
		"data-counts":     pageOf("counts", "type", "Condition", "system", icd10cm),
		"data-counts-obs": pageOf("counts", "type", "Observation", "by", "patients"),
	}
}

// harmfulDataPages are those with texts that would do harm.
func harmfulDataPages() map[string]string {
	return map[string]string{
		"harm-data-search":   pageOf("data", "type", "Condition", "p.patient", "Patient/harmful"),
		"harm-data-form":     pageOf("data", "type", "Patient", "p.name", harmText),
		"harm-data-patient":  pageOf("resource", "type", "Patient", "id", "harmful"),
		"harm-data-resource": pageOf("resource", "type", "Condition", "id", "harmful"),
		"harm-data-timeline": pageOf("timeline", "patient", "harmful"),
		"harm-data-charts":   pageOf("charts", "patient", "harmful"),
		"harm-data-counts":   pageOf("counts", "type", "Condition", "system", harmful),
	}
}
