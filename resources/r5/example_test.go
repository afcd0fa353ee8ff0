package r5_test

import (
	"fmt"

	"github.com/roget-health/roget/resources/r5"
)

func ExampleToR4() {
	doc, err := r5.ToR4([]byte(`{"resourceType":"CodeSystem","status":"active","copyrightLabel":"All rights reserved","content":"complete",
		"filter":[{"code":"parent","operator":["=","child-of"],"value":"a code"}]}`))
	fmt.Println(string(doc), err)
	// Output: {"resourceType":"CodeSystem","status":"active","content":"complete","filter":[{"code":"parent","operator":["=",null],"_operator":[null,{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.filter.operator","valueCode":"child-of"}]}],"value":"a code"}],"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.copyrightLabel","valueString":"All rights reserved"}]} <nil>
}

func ExampleFromR4() {
	doc, err := r5.FromR4([]byte(`{"resourceType":"ConceptMap","status":"active","sourceUri":"http://example.org/a","group":[
		{"source":"http://example.org/s","sourceVersion":"1","element":[{"code":"x","target":[{"code":"y","equivalence":"wider"}]},
		{"code":"z","target":[{"equivalence":"unmatched"}]}]}]}`))
	fmt.Println(string(doc), err)
	// Output: {"resourceType":"ConceptMap","status":"active","sourceScopeUri":"http://example.org/a","group":[{"source":"http://example.org/s|1","element":[{"code":"x","target":[{"code":"y","relationship":"source-is-narrower-than-target"}]},{"noMap":true,"code":"z"}]}]} <nil>
}
