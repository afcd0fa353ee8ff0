package validate_test

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// withBase checks bindings with the value sets that are built in.
func withBase(t *testing.T) validate.Option {
	t.Helper()
	eng := engine.New()
	if err := eng.Publish(base.Entries()...); err != nil {
		t.Fatal(err)
	}
	return func(v *validate.Validator) {
		validate.WithCodes(func(valueSet string) (r4.Codes, error) { return eng.CodesIn(t.Context(), valueSet) })(v)
		validate.WithSystems(func(system, code string) bool { return eng.Lacks(t.Context(), system, code) })(v)
	}
}

func TestBindings(t *testing.T) {
	known := withBase(t)
	for name, test := range map[string]struct {
		data string
		want []string
	}{
		"currency":        {`{"resourceType":"Invoice","status":"issued","totalNet":{"value":1,"currency":"EUR"}}`, nil},
		"no currency":     {`{"resourceType":"Invoice","status":"issued","totalNet":{"value":1,"currency":"ZZQ"}}`, []string{"error code-invalid Invoice.totalNet.currency"}},
		"media type":      {`{"resourceType":"Patient","photo":[{"contentType":"image/png","data":"AAAA"}]}`, nil},
		"no media type":   {`{"resourceType":"Patient","photo":[{"contentType":"png","data":"AAAA"}]}`, []string{"error code-invalid Patient.photo[0].contentType"}},
		"extensible":      {`{"resourceType":"Patient","maritalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-MaritalStatus","code":"M"}]}}`, nil},
		"another code":    {`{"resourceType":"Patient","maritalStatus":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-MaritalStatus","code":"foo"}]}}`, []string{"warning code-invalid Patient.maritalStatus"}},
		"one of two":      {`{"resourceType":"Patient","maritalStatus":{"coding":[{"system":"http://x","code":"foo"},{"system":"http://terminology.hl7.org/CodeSystem/v3-MaritalStatus","code":"M"}]}}`, nil},
		"text":            {`{"resourceType":"Patient","maritalStatus":{"text":"foo"}}`, nil},
		"no system":       {`{"resourceType":"Patient","maritalStatus":{"coding":[{"code":"foo"}]}}`, nil},
		"unknown set":     {`{"resourceType":"ImagingStudy","status":"available","subject":{"reference":"Patient/1"},"modality":[{"system":"http://x","code":"a"}]}`, nil},
		"unit":            {`{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"mg/dL"}}`, nil},
		"no unit":         {`{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"tablet"}}`, []string{"warning code-invalid Observation.value.ofType(Quantity).code"}},
		"unit of another": {`{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueQuantity":{"value":1,"system":"http://x","code":"tablet"}}`, nil},
	} {
		if got := issues(t, test.data, known); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		for _, issue := range issues(t, test.data) { // without value sets nothing is checked
			t.Errorf("%s: %s", name, issue)
		}
	}
}

// TestUnlistedBindings names the value sets of required bindings whose codes are not listed.
func TestUnlistedBindings(t *testing.T) {
	var list []string
	for typ := range definitions.R4().AllTypes() {
		for _, e := range typ.Elements {
			if e.ValueSet != "" && !e.Extensible && !slices.Contains(list, e.ValueSet) {
				list = append(list, e.ValueSet)
			}
		}
	}
	slices.Sort(list)
	if want := []string{
		"http://hl7.org/fhir/ValueSet/currencies", "http://hl7.org/fhir/ValueSet/mimetypes",
		"http://hl7.org/fhir/ValueSet/ucum-units", "http://loinc.org/vs/LL379-9",
	}; !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}
