package searchtest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
	"github.com/roget-health/roget/resources/validate"
)

// reader returns the resources of the table.
func reader(t testing.TB) *searchtest.Reader {
	t.Helper()
	r := searchtest.NewReader(definitions.R4())
	at := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	for i, body := range searchtest.Resources() {
		if _, err := r.Add(body, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
	}
	return r
}

// TestResourcesAreValid validates the resources of the table.
func TestResourcesAreValid(t *testing.T) {
	v := validate.New(definitions.R4())
	for _, body := range searchtest.Resources() {
		d, err := document.Parse(body, r4.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range v.Validate(d) {
			if issue.Severity == validate.Error {
				t.Errorf("%s/%s: %s: %s", d.ResourceType(), d.Root().Get("id").Text(), issue.Expression, issue.Text)
			}
		}
	}
}

// now is the present for the prefix ap.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// terminology contains the code systems and value sets of the table.
func terminology(t testing.TB) *engine.Engine {
	t.Helper()
	e := engine.New()
	if err := searchtest.Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRows runs the table on the full scan.
func TestRows(t *testing.T) {
	r := reader(t)
	known := terminology(t)
	for _, row := range searchtest.Rows() {
		q, err := search.Parse(definitions.R4(), row.Type, row.Params, search.Options{Strict: true, Compartment: row.Compartment, Now: now})
		if err != nil {
			t.Errorf("%s: %v", row.Text, err)
			continue
		}
		found, err := search.FullScan(context.Background(), q, search.NewEnv(definitions.R4(), known, r, r.At()))
		if err != nil {
			t.Errorf("%s: %v", row.Text, err)
			continue
		}
		var got []string
		for _, rec := range found {
			got = append(got, rec.ID)
		}
		if !row.Ordered {
			slices.Sort(got)
		}
		if !slices.Equal(got, row.Want) {
			t.Errorf("%s\ngot %v", row.Text, got)
		}
	}
}

// promised are the parameters of each type that must have rows. Source: section 2 of the
// description of the server.
var promised = map[string][]string{
	"Patient":                 {"_id", "identifier", "name", "family", "given", "gender", "birthdate", "address", "address-city", "address-state", "address-postalcode", "telecom", "active", "general-practitioner", "organization"},
	"Encounter":               {"_id", "patient", "subject", "status", "class", "type", "date", "participant", "service-provider"},
	"Condition":               {"_id", "patient", "subject", "code", "clinical-status", "verification-status", "category", "onset-date", "severity", "encounter"},
	"MedicationRequest":       {"_id", "patient", "subject", "code", "status", "intent", "authoredon", "requester", "encounter"},
	"DiagnosticReport":        {"_id", "patient", "subject", "code", "category", "status", "date", "issued", "encounter", "performer", "result", "conclusion"},
	"Immunization":            {"_id", "patient", "vaccine-code", "status", "date", "lot-number", "performer", "site", "route"},
	"Device":                  {"_id", "identifier", "patient", "status", "type", "manufacturer", "model", "udi-carrier", "udi-di", "device-name", "organization", "location"},
	"RelatedPerson":           {"_id", "identifier", "patient", "name", "active", "gender", "birthdate", "relationship", "telecom", "address", "address-city", "address-state"},
	"ServiceRequest":          {"_id", "patient", "subject", "code", "category", "status", "intent", "priority", "authored", "encounter", "requester", "performer"},
	"SupplyRequest":           {"_id", "identifier", "status", "category", "date", "requester", "subject", "supplier", "priority"},
	"HealthcareService":       {"_id", "active", "name", "organization", "location", "service-category", "service-type", "specialty"},
	"OrganizationAffiliation": {"_id", "identifier", "active", "date", "email", "phone", "role", "specialty", "endpoint", "location", "network", "participating-organization", "primary-organization", "service"},
	"ResearchStudy":           {"_id", "identifier", "title", "status", "phase", "category", "condition", "date", "sponsor", "principalinvestigator", "site"},
	"ResearchSubject":         {"_id", "identifier", "patient", "individual", "status", "study", "date"},
	"Group":                   {"_id", "identifier", "type", "actual", "code", "name", "managing-entity", "member", "characteristic", "characteristic-value", "exclude"},
	"Library":                 {"_id", "identifier", "url", "version", "status", "type", "content-type", "topic", "name", "title", "publisher", "description", "composed-of", "depends-on", "derived-from", "predecessor", "successor"},
	"Measure":                 {"_id", "url", "name", "title", "description", "publisher", "status", "version", "identifier", "topic", "date", "effective"},
	"QuestionnaireResponse":   {"_id", "questionnaire", "patient", "subject", "author", "encounter", "authored", "status"},
	"ImagingStudy":            {"_id", "identifier", "patient", "subject", "status", "modality", "started", "encounter", "referrer", "basedon"},
	"CodeSystem":              {"_id", "url", "version", "name", "title", "status", "publisher", "identifier"},
	"ValueSet":                {"_id", "url", "version", "name", "title", "status", "publisher", "identifier", "reference"},
}

// TestPromised checks that each parameter has a row that finds something, but not everything.
func TestPromised(t *testing.T) {
	types := map[string]int{}
	r := reader(t)
	for typ := range promised {
		q, err := search.Parse(definitions.R4(), typ, nil, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := search.FullScan(context.Background(), q, search.NewEnv(definitions.R4(), nil, r, r.At()))
		if err != nil {
			t.Fatal(err)
		}
		types[typ] = len(all)
	}
	for typ, codes := range promised {
		for _, code := range codes {
			if !slices.ContainsFunc(searchtest.Rows(), func(row searchtest.Row) bool {
				return row.Type == typ && row.Compartment == nil && len(row.Params) == 1 && row.Params[0].Name == code && len(row.Want) > 0 && len(row.Want) < types[typ]
			}) {
				t.Errorf("%s has no row for %s", typ, code)
			}
		}
	}
	if len(promised) != 21 {
		t.Errorf("%d types", len(promised))
	}
}
