package validate_test

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/validate"
)

// TestStrict lists what only Strict refuses, each with the issue of Strict and, if there is one, of
// Validate.
func TestStrict(t *testing.T) {
	const (
		observation = `{"resourceType":"Observation","status":"final","code":{"text":"a"},`
		bundle      = `{"resourceType":"Bundle","type":"collection","entry":[`
	)
	v := validate.New(definitions.R4(), withBase(t))
	for name, test := range map[string]struct{ data, strict, tolerated string }{
		"relative library":  {`{"resourceType":"Measure","status":"draft","library":["Library/x"]}`, "error value Measure.library[0]", ""},
		"absolute library":  {`{"resourceType":"Measure","status":"draft","library":["http://x.org/Library/x|1"]}`, "", ""},
		"contained library": {`{"resourceType":"Measure","status":"draft","library":["#l"],"contained":[{"resourceType":"Library","id":"l","status":"draft","type":{"text":"a"}}]}`, "", ""},
		"oid":               {`{"resourceType":"Measure","status":"draft","url":"urn:oid:2.16.0840"}`, "error value Measure.url", ""},
		"uuid":              {`{"resourceType":"Measure","status":"draft","url":"urn:uuid:68D043B5-9ECF-4559-A57A-396E0D452311"}`, "error value Measure.url", ""},
		"unit":              {observation + `"valueQuantity":{"value":1,"system":"http://unitsofmeasure.org","code":"TAB"}}`, "error code-invalid Observation.value.ofType(Quantity).code", "warning code-invalid Observation.value.ofType(Quantity).code"},
		"quantity":          {observation + `"valueQuantity":{"value":1,"system":"http://terminology.hl7.org/CodeSystem/v3-orderableDrugForm","code":"Tab"}}`, "error code-invalid Observation.value.ofType(Quantity).code", ""},
		"known quantity":    {observation + `"valueQuantity":{"value":1,"system":"http://terminology.hl7.org/CodeSystem/v3-orderableDrugForm","code":"TAB"}}`, "", ""},
		"no code":           {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488"}]}}`, "error code-invalid Observation.method.coding[0].code", ""},
		"unknown code":      {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488","code":"x"}]}}`, "error code-invalid Observation.method.coding[0].code", ""},
		"another version":   {observation + `"method":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0488","version":"1","code":"x"}]}}`, "", ""},
		"unknown system":    {observation + `"method":{"coding":[{"system":"http://x.org","code":"x"}]}}`, "", ""},
		"language":          {`{"resourceType":"Patient","communication":[{"language":{"coding":[{"system":"urn:ietf:bcp:47"}]}}]}`, "", ""},
		"relative system":   {observation + `"method":{"coding":[{"system":"x","code":"x"}]}}`, "error value Observation.method.coding[0].system", ""},
		"no system":         {`{"resourceType":"Condition","subject":{"reference":"Patient/1"},"clinicalStatus":{"coding":[{"code":"active"}]}}`, "error code-invalid Condition.clinicalStatus", ""},
		"identifier":        {`{"resourceType":"Patient","identifier":[{"system":"urn:ietf:rfc:3986","value":"2.16"}]}`, "error value Patient.identifier[0].value", ""},
		"linkId":            {`{"resourceType":"Questionnaire","status":"draft","item":[{"type":"string"}]}`, "error required Questionnaire.item[0].linkId", "warning required Questionnaire.item[0].linkId"},
		"no fullUrl":        {bundle + `{"resource":{"resourceType":"Patient"}}]}`, "error required Bundle.entry[0].fullUrl", ""},
		"another fullUrl":   {bundle + `{"fullUrl":"http://x.org/Patient/1","resource":{"resourceType":"Patient","id":"2"}}]}`, "error value Bundle.entry[0].fullUrl", ""},
		"same fullUrl":      {bundle + `{"fullUrl":"http://x.org/Patient/1","resource":{"resourceType":"Patient","id":"1"}}]}`, "", ""},
		"no address":        {bundle + `{"fullUrl":"urn:uuid:88f151c0-a954-468a-88bd-5ae15c08e059","resource":{"resourceType":"Patient"}}]}`, "", ""},
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
