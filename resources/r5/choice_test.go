package r5_test

import (
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
	"github.com/roget-health/roget/resources/validate"
)

// TestOneOfChoice checks that two extensions for variants of one choice do not both become elements,
// which R5 forbids. The other stays an extension.
func TestOneOfChoice(t *testing.T) {
	const url = `{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.versionAlgorithm",`
	const head = `{"resourceType":"CodeSystem","status":"active","content":"complete","extension":[`
	for _, extensions := range []string{
		url + `"valueString":"natural"},` + url + `"valueCoding":{"code":"semver"}}`,
		url + `"valueCoding":{"code":"semver"}},` + url + `"valueString":"natural"}`,
	} {
		as5, err := r5.FromR4([]byte(head + extensions + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := document.Parse(as5, r4.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Check(validate.New(definitions.R5()).Validate(doc)); err != nil {
			t.Errorf("%s: %v", as5, err)
		}
		if n := doc.Root().Get("extension").Len(); n != 1 {
			t.Errorf("%d extensions in %s, want 1", n, as5)
		}
	}
}
