package txtest

import (
	"encoding/json"
	"strings"
	"testing"
)

// compact returns the JSON of a tree with sorted members.
func compact(tb testing.TB, value any) string {
	tb.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

func TestConvertRequests(t *testing.T) {
	for _, test := range []struct{ name, from, to string }{
		{
			"version algorithm",
			`{"resourceType":"CodeSystem","versionAlgorithmString":"natural","copyrightLabel":"x","extension":[{"url":"a"}]}`,
			`{"resourceType":"CodeSystem","extension":[{"url":"a"},{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.versionAlgorithm","valueString":"natural"}]}`,
		},
		{
			"filters of R5, in parameters",
			`{"resourceType":"Parameters","parameter":[{"name":"valueSet","resource":{"resourceType":"ValueSet","compose":{"property":["p"],
				"include":[{"copyright":"c","filter":[{"property":"concept","op":"descendent-leaf","value":"a"}]}],
				"exclude":[{"filter":[{"property":"concept","op":"is-a","value":"a"}]}]}}}]}`,
			`{"resourceType":"Parameters","parameter":[{"name":"valueSet","resource":{"resourceType":"ValueSet","compose":{
				"include":[{"filter":[{"property":"concept","_op":{"extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.compose.include.filter.op","valueCode":"descendent-leaf"}]},"value":"a"}]}],
				"exclude":[{"filter":[{"property":"concept","op":"is-a","value":"a"}]}]}}}]}`,
		},
		{
			"contained, in a bundle",
			`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"ValueSet","contained":[{"resourceType":"CodeSystem","copyrightLabel":"x"}]}},{"fullUrl":"a"}]}`,
			`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"ValueSet","contained":[{"resourceType":"CodeSystem"}]}},{"fullUrl":"a"}]}`,
		},
		{
			"concept map",
			`{"resourceType":"ConceptMap","sourceScopeUri":"s","targetScopeCanonical":"t","group":[{"source":"a|1","target":"b",
				"element":[{"code":"x","noMap":true},{"code":"y","noMap":false,"target":[{"code":"z","relationship":"source-is-narrower-than-target"}]}],
				"unmapped":{"mode":"use-source-code","relationship":"equivalent","otherMap":"m"}}]}`,
			`{"resourceType":"ConceptMap","sourceUri":"s","targetCanonical":"t","group":[{"source":"a","sourceVersion":"1","target":"b",
				"element":[{"code":"x","target":[{"equivalence":"unmatched"}]},{"code":"y","target":[{"code":"z","equivalence":"wider"}]}],
				"unmapped":{"mode":"provided","url":"m"}}]}`,
		},
	} {
		from := tree(t, test.from).(object)
		if err := convert(from, toR4); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got, want := compact(t, from), compact(t, tree(t, test.to)); got != want {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
	}
}

func TestConvertUnknownRelationship(t *testing.T) {
	cm := tree(t, `{"resourceType":"ConceptMap","group":[{"element":[{"target":[{"relationship":"cousin"}]}]}]}`).(object)
	if err := convert(cm, toR4); err == nil || !strings.Contains(err.Error(), `"cousin"`) {
		t.Errorf("error %v", err)
	}
}

// Elements that become extensions in a request are elements again in a response.
func TestConvertThereAndBack(t *testing.T) {
	const text = `{"resourceType":"ValueSet","compose":{"include":[{"filter":[{"property":"concept","op":"child-of","value":"a"}]}]}}`
	vs := tree(t, text).(object)
	for _, by := range []converters{toR4, toR5} {
		if err := convert(vs, by); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := compact(t, vs), compact(t, tree(t, text)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestConvertProperties(t *testing.T) {
	vs := tree(t, `{"resourceType":"ValueSet","expansion":{
		"extension":[{"url":"http://example.org/kept"},{"url":"`+expansionProperty+`","extension":[{"url":"code","valueCode":"weight"},{"url":"uri","valueUri":"http://example.org/w"}]}],
		"contains":[{"code":"a","contains":[{"code":"b",
			"extension":[{"url":"`+containsProperty+`","extension":[{"url":"code","valueCode":"weight"},{"url":"value","valueDecimal":1.50}]}]}]}]}}`).(object)
	if err := convert(vs, toR5); err != nil {
		t.Fatal(err)
	}
	const want = `{"expansion":{"contains":[{"code":"a","contains":[{"code":"b","extension":[],"property":[{"code":"weight","valueDecimal":1.50}]}]}],` +
		`"extension":[{"url":"http://example.org/kept"}],"property":[{"code":"weight","uri":"http://example.org/w"}]},"resourceType":"ValueSet"}`
	if got := compact(t, vs); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTidy(t *testing.T) {
	got := tidy(tree(t, `{"a:note":1,"experimental":"true","list":[{"inactive":"false","display":"true"}]}`), "")
	if want := `{"experimental":true,"list":[{"display":"true","inactive":false}]}`; compact(t, got) != want {
		t.Errorf("%s, want %s", compact(t, got), want)
	}
}
