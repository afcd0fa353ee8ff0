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

// TestStrict lists what only Strict refuses, each with the issue of Strict and, if there is one, of
// Validate.
func TestStrict(t *testing.T) {
	const (
		observation = `{"resourceType":"Observation","status":"final","code":{"text":"a"},`
		bundle      = `{"resourceType":"Bundle","type":"collection","entry":[`
	)
	v := validate.New(definitions.R4(), withBase(t))
	for name, test := range map[string]struct{ data, strict, tolerated string }{
		"relative library": {`{"resourceType":"Measure","status":"draft","library":["Library/x"]}`, "error value Measure.library[0]", ""},
		"libraries":        {`{"resourceType":"Measure","status":"draft","library":["#l","http://x.org/Library/x|1"],"contained":[{"resourceType":"Library","id":"l","status":"draft","type":{"text":"a"}}]}`, "", ""},
		"oid":              {`{"resourceType":"Measure","status":"draft","url":"urn:oid:2.16.0840"}`, "error value Measure.url", ""},
		"uuid":             {`{"resourceType":"Measure","status":"draft","url":"urn:uuid:68D043B5-9ECF-4559-A57A-396E0D452311"}`, "error value Measure.url", ""},
		"unit":             {observation + `"valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"TAB"}}`, "error code-invalid Observation.value.ofType(Quantity).code", "warning code-invalid Observation.value.ofType(Quantity).code"},
		"quantity":         {observation + `"valueQuantity":{"value":1,"system":"http://terminology.hl7.org/CodeSystem/v3-orderableDrugForm","code":"Tab"}}`, "error code-invalid Observation.value.ofType(Quantity).code", ""},
		"known quantity":   {observation + `"valueQuantity":{"value":1,"system":"http://terminology.hl7.org/CodeSystem/v3-orderableDrugForm","code":"TAB"}}`, "", ""},
		"no code":          {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488"}]}}`, "error code-invalid Observation.method.coding[0].code", ""},
		"unknown code":     {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488","code":"x"}]}}`, "error code-invalid Observation.method.coding[0].code", ""},
		"unknown systems":  {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488","version":"1","code":"x"},{"system":"http://x.org","code":"x"}]}}`, "", ""},
		"language":         {`{"resourceType":"Patient","communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47"}]}}]}`, "", ""},
		"relative system":  {observation + `"method":{"coding":[{"system":"x","code":"x"}]}}`, "error value Observation.method.coding[0].system", ""},
		"no system":        {`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"clinicalStatus":{"coding":[{"code":"active"}]}}`, "error code-invalid Condition.clinicalStatus", ""},
		"identifier":       {`{"resourceType":"Patient","identifier":[{"system":"urn:ietf:rfc:3986","value":"2.16"}]}`, "error value Patient.identifier[0].value", ""},
		"linkId":           {`{"resourceType":"Questionnaire","status":"draft","item":[{"type":"string"}]}`, "error required Questionnaire.item[0].linkId", "warning required Questionnaire.item[0].linkId"},
		"no fullUrl":       {bundle + `{"resource":{"resourceType":"Patient"}}]}`, "error required Bundle.entry[0].fullUrl", ""},
		"another fullUrl":  {bundle + `{"fullUrl":"http://x.org/Patient/1","resource":{"resourceType":"Patient","id":"2"}}]}`, "error value Bundle.entry[0].fullUrl", ""},
		"fullUrls":         {bundle + `{"fullUrl":"http://x.org/Patient/1","resource":{"resourceType":"Patient","id":"1"}},{"fullUrl":"urn:uuid:88f151c0-a954-468a-88bd-5ae15c08e059","resource":{"resourceType":"Patient"}}]}`, "", ""},
	} {
		for want, by := range map[*string]func() []string{
			&test.strict:    func() []string { return judged(t, test.data, v.Strict) },
			&test.tolerated: func() []string { return judged(t, test.data, v.Validate) },
		} {
			if got := by(); !slices.Equal(got, slices.DeleteFunc([]string{*want}, func(s string) bool { return s == "" })) {
				t.Errorf("%s: %q, want %q", name, got, *want)
			}
		}
	}
}
