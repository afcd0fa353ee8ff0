package r4

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roget-health/roget/resources/sharedtest"
)

// same compares a decoded resource with the result of encoding/json for the same document.
func same[T any](t *testing.T, data []byte, got *T) {
	t.Helper()
	want := new(T)
	if err := json.Unmarshal(data, want); err != nil {
		t.Fatalf("reference: %v\n%.300s", err, data)
	}
	equal(t, "by encoding/json and by Decode", want, got)
}

// equal compares two resources, with a fast path.
func equal[T any](t *testing.T, what string, want, got *T) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s:\n%s", what, diff)
	}
}

func TestDecodeRealCodeSystems(t *testing.T) {
	n := 0
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/codesystems.ndjson.gz")) {
		c, err := DecodeCodeSystem(line)
		if err != nil {
			t.Fatal(err)
		}
		same(t, line, c)
		h, err := DecodeHeader(line)
		if err != nil {
			t.Fatal(err)
		}
		same(t, line, h)
		again, err := DecodeCodeSystem(c.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "written and read again", c, again)
		n++
	}
	if n != 1062 {
		t.Errorf("%d code systems", n)
	}
}

func TestDecodeRealValueSets(t *testing.T) {
	n := 0
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/valuesets.ndjson.gz")) {
		v, err := DecodeValueSet(line)
		if err != nil {
			t.Fatal(err)
		}
		same(t, line, v)
		again, err := DecodeValueSet(v.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "written and read again", v, again)
		n++
	}
	if n != 1316 {
		t.Errorf("%d value sets", n)
	}
}

func TestDecodeRealConceptMaps(t *testing.T) {
	check := func(line []byte) {
		m, err := DecodeConceptMap(line)
		if err != nil {
			t.Fatal(err)
		}
		same(t, line, m)
		again, err := DecodeConceptMap(m.AppendJSON(nil))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "written and read again", m, again)
	}
	for line := range sharedtest.Lines(t, sharedtest.Path(t, "data/r4-core/conceptmaps.ndjson.gz")) {
		check(line)
	}
	check(sharedtest.Unzipped(t, sharedtest.Path(t, "data/icd-gem/ConceptMap-icd-9-cm-to-icd-10-cm.json.gz")))
}

func TestDecodeErrors(t *testing.T) {
	codeSystem := func(data []byte) error { _, err := DecodeCodeSystem(data); return err }
	valueSet := func(data []byte) error { _, err := DecodeValueSet(data); return err }
	conceptMap := func(data []byte) error { _, err := DecodeConceptMap(data); return err }
	parameters := func(data []byte) error { _, err := DecodeParameters(data); return err }
	header := func(data []byte) error { _, err := DecodeHeader(data); return err }
	tests := []struct {
		decode           func([]byte) error
		input            string
		expression, code string
		msg              string
	}{
		{valueSet, `[]`, "ValueSet", "structure", "expected an object, found an array"},
		{valueSet, `{"resourceType":"CodeSystem"}`, "ValueSet.resourceType", "structure", "expected a ValueSet, found a CodeSystem"},
		{valueSet, `{"url":"x"}`, "ValueSet", "required", "resourceType is missing"},
		{valueSet, `{"resourceType":"ValueSet","compose":{"include":{}}}`, "ValueSet.compose.include", "structure", "expected an array, found an object"},
		{valueSet, `{"resourceType":"ValueSet","compose":{"include":[{},{},{"system":7}]}}`, "ValueSet.compose.include[2].system", "structure", "expected a string, found a number"},
		{valueSet, `{"resourceType":"ValueSet","compose":{"include":[{"filter":[{"property":null}]}]}}`, "ValueSet.compose.include[0].filter[0].property", "structure", "found null"},
		{valueSet, `{"resourceType":"ValueSet","expansion":{"total":1.5}}`, "ValueSet.expansion.total", "value", "expected an integer, found 1.5"},
		{valueSet, `{"resourceType":"ValueSet","contained":["x"]}`, "ValueSet.contained[0]", "structure", "expected an object"},
		{codeSystem, `{"resourceType":"CodeSystem","caseSensitive":"true"}`, "CodeSystem.caseSensitive", "structure", "expected a boolean, found a string"},
		{codeSystem, `{"resourceType":"CodeSystem","property":[{"code":["a"]}]}`, "CodeSystem.property[0].code", "structure", "expected a string, found an array"},
		{codeSystem, `{"resourceType":"CodeSystem","count":99999999999}`, "CodeSystem.count", "value", "expected an integer"},
		{conceptMap, `{"resourceType":"ConceptMap","group":[{"element":[{"target":[{"equivalence":1}]}]}]}`, "ConceptMap.group[0].element[0].target[0].equivalence", "structure", "expected a string"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueBoolean":"true"}]}`, "Parameters.parameter[0].valueBoolean", "structure", "expected a boolean, found a string"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueInteger":1.0}]}`, "Parameters.parameter[0].valueInteger", "value", "expected an integer"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueUnsignedInt":-1}]}`, "Parameters.parameter[0].valueUnsignedInt", "value", "from 0"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valuePositiveInt":0}]}`, "Parameters.parameter[0].valuePositiveInt", "value", "from 1"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueString":1}]}`, "Parameters.parameter[0].valueString", "structure", "expected a string"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueQuantity":"1 mg"}]}`, "Parameters.parameter[0].valueQuantity", "structure", "expected an object"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueFoo":1}]}`, "Parameters.parameter[0].valueFoo", "structure", "not a type of FHIR"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","valueCode":"a","valueString":"b"}]}`, "Parameters.parameter[0].valueString", "structure", "already has a value"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"valueCode":"a"}]}`, "Parameters.parameter[0]", "required", "no name"},
		{parameters, `{"resourceType":"Parameters","parameter":[{"name":"a","part":[{"name":"b","resource":[]}]}]}`, "Parameters.parameter[0].part[0].resource", "structure", "expected an object"},
		{parameters, `{"resourceType":"Parameters"} x`, "Parameters", "structure", "end of the input"},
		{header, `{"id":"x"}`, "", "required", "resourceType is missing"},
		{header, `{"resourceType":"CodeSystem","url":1}`, "CodeSystem.url", "structure", "expected a string"},
		{header, `{"resourceType":"Patient","id":1}`, "id", "structure", "expected a string"},
	}
	for _, test := range tests {
		err := test.decode([]byte(test.input))
		var se *SyntaxError
		if !errors.As(err, &se) {
			t.Errorf("%s: error %v", test.input, err)
			continue
		}
		if se.Expression != test.expression || se.Code != test.code || !strings.Contains(se.Msg, test.msg) {
			t.Errorf("%s:\n got %q %s %q\nwant %q %s %q", test.input, se.Expression, se.Code, se.Msg, test.expression, test.code, test.msg)
		}
	}
}

func TestDecodeHeaderOfOtherTypes(t *testing.T) {
	h, err := DecodeHeader([]byte(`{"name":[{"family":"x"}],"id":"p1","meta":{"versionId":"3"},"resourceType":"Patient"}`))
	if err != nil {
		t.Fatal(err)
	}
	if h.ResourceType != "Patient" || h.ID != "p1" || h.Meta.VersionID != "3" || h.Name != "" {
		t.Errorf("got %+v", h)
	}
}

func TestDecodeFilterOpExtension(t *testing.T) {
	v, err := DecodeValueSet([]byte(`{"resourceType":"ValueSet","compose":{"include":[{"system":"s","filter":[
		{"property":"concept","_op":{"extension":[{"url":"other","valueString":"x"},
		 {"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.compose.include.filter.op","valueCode":"child-of"}]},"value":"a"},
		{"property":"concept","op":"descendent-leaf","value":"b"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Filter{{"concept", "child-of", "a"}, {"concept", "descendent-leaf", "b"}}
	if diff := cmp.Diff(want, v.Compose.Include[0].Filter); diff != "" {
		t.Error(diff)
	}
	written := string(v.AppendJSON(nil))
	if strings.Contains(written, `"op":`) || strings.Count(written, "_op") != 2 {
		t.Errorf("an R4 document must carry R5 operators in the extension: %s", written)
	}
}

func TestDecodeParametersValues(t *testing.T) {
	input := `{"resourceType":"Parameters","id":"p","parameter":[
		{"name":"b","valueBoolean":false},{"name":"i","valueInteger":-7},
		{"name":"d","valueDecimal":1.50e-2},{"name":"s","valueString":"a\u00e9\nb","_valueString":{"id":"x"}},
		{"name":"t","valueDateTime":"2024-02-29T10:00:00Z"},{"name":"i64","valueInteger64":"9007199254740993"},
		{"name":"c","valueCoding":{"system":"http://s","code":"x","userSelected":true}},
		{"name":"cc","valueCodeableConcept":{"coding":[{"code":"y"}],"text":"why"}},
		{"name":"q","valueQuantity":{"value": 1.0, "unit":"mg"}},
		{"name":"r","resource":{"resourceType":"ValueSet", "url":"u"}},
		{"name":"p","part":[{"name":"p1","valueCode":"z"},{"name":"p2","part":[{"name":"p3","valueUri":"urn:x"}]}]},
		{"name":"empty"}]}`
	got, err := DecodeParameters([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	want := &Parameters{ID: "p", Parameter: []Parameter{
		{Name: "b", Value: Boolean(false)},
		{Name: "i", Value: Value{Type: "Integer", Text: "-7"}},
		{Name: "d", Value: Value{Type: "Decimal", Text: "1.50e-2"}},
		{Name: "s", Value: String("aé\nb")},
		{Name: "t", Value: Value{Type: "DateTime", Text: "2024-02-29T10:00:00Z"}},
		{Name: "i64", Value: Value{Type: "Integer64", Text: "9007199254740993"}},
		{Name: "c", Value: Value{Type: "Coding", Coding: &Coding{System: "http://s", Code: "x", UserSelected: &yes}}},
		{Name: "cc", Value: Value{Type: "CodeableConcept", Concept: &CodeableConcept{Coding: []Coding{{Code: "y"}}, Text: "why"}}},
		{Name: "q", Value: Value{Type: "Quantity", Raw: json.RawMessage(`{"value": 1.0, "unit":"mg"}`)}},
		{Name: "r", Resource: json.RawMessage(`{"resourceType":"ValueSet", "url":"u"}`)},
		{Name: "p", Part: []Parameter{{Name: "p1", Value: Code("z")}, {Name: "p2", Part: []Parameter{{Name: "p3", Value: URI("urn:x")}}}}},
		{Name: "empty"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, err := DecodeParameters(got.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("written and read again:\n%s", diff)
	}
}

func FuzzDecodeParameters(f *testing.F) {
	f.Add([]byte(`{"resourceType":"Parameters","parameter":[{"name":"a","valueCoding":{"code":"x"}},{"name":"b","part":[{"name":"c","valueDecimal":1.50}]},{"name":"r","resource":{"a":1}}]}`))
	f.Add([]byte(`{"resourceType":"Parameters","parameter":[{"name":"a","valueQuantity":{"value":1}},{"name":"","valueInteger":-0}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodeParameters(data)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			return
		}
		written := p.AppendJSON(nil)
		again, err := DecodeParameters(written)
		if err != nil {
			t.Fatalf("written as %s: %v", written, err)
		}
		if diff := cmp.Diff(p, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("written and read again:\n%s", diff)
		}
	})
}

func FuzzDecodeValueSet(f *testing.F) {
	f.Add([]byte(`{"resourceType":"ValueSet","url":"http://x","identifier":[{"value":"i"}],"compose":{"inactive":false,"include":[{"system":"s","version":"1","concept":[{"code":"a","designation":[{"value":"d","use":{"code":"u"}}]}],"filter":[{"property":"concept","op":"is-a","value":"v"}],"valueSet":["v"]}],"exclude":[{"valueSet":["w"]}]}}`))
	f.Add([]byte(`{"resourceType":"ValueSet","contained":[{"resourceType":"CodeSystem"}],"expansion":{"total":2,"contains":[{"code":"a","abstract":true,"contains":[{"code":"b"}]}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := DecodeValueSet(data)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			return
		}
		first := v.AppendJSON(nil)
		again, err := DecodeValueSet(first)
		if err != nil {
			t.Fatalf("written as %s: %v", first, err)
		}
		if second := again.AppendJSON(nil); !bytes.Equal(first, second) {
			t.Fatalf("written twice:\n%s\n%s", first, second)
		}
	})
}

// TestDecodeUnknownMembers checks that objects are written as they were without such members.
func TestDecodeUnknownMembers(t *testing.T) {
	unknown(t, DecodeCodeSystem, (*CodeSystem).AppendJSON, `{"resourceType":"CodeSystem","meta":{"tag":[{"code":"t"}]},"identifier":[{"value":"i"}],"filter":[{"operator":["=",null],`+
		`"_operator":[null,{"extension":[{"url":"`+operatorExtension+`","valueCode":"child-of"}]}]}],"property":[{"code":"p"}]}`)
	unknown(t, DecodeValueSet, (*ValueSet).AppendJSON, `{"resourceType":"ValueSet","compose":{"include":[{"concept":[{"code":"a","designation":[{"use":{"code":"u"},"value":"v"}]}],`+
		`"filter":[{"property":"p","op":"=","value":"v"}]}]},"expansion":{"contains":[{"code":"a","contains":[{"code":"b"}]}]}}`)
	unknown(t, DecodeConceptMap, (*ConceptMap).AppendJSON, `{"resourceType":"ConceptMap","group":[{"element":[{"code":"c","target":[{"code":"t",`+
		`"dependsOn":[{"property":"p","value":"v"}]}]}],"unmapped":{"mode":"fixed","code":"u"}}]}`)
	unknown(t, DecodeParameters, (*Parameters).AppendJSON, `{"resourceType":"Parameters","parameter":[{"name":"a","valueCodeableConcept":{"coding":[{"code":"c"}]}}]}`)
	if err := new(Extension).UnmarshalJSON([]byte(`{"url":1}`)); err == nil || !strings.Contains(err.Error(), " extension.url: ") {
		t.Error(err)
	}
}

func unknown[T any](t *testing.T, decode func([]byte) (*T, error), appendJSON func(*T, []byte) []byte, doc string) {
	got, err := decode([]byte(strings.ReplaceAll(doc, "{", `{"unknown":[1],`)))
	if err != nil || string(appendJSON(got, nil)) != doc {
		t.Errorf("%s: %+v, %v", doc, got, err)
	}
}

func BenchmarkDecodeConceptMap(b *testing.B) {
	data := sharedtest.Unzipped(b, sharedtest.Path(b, "data/icd-gem/ConceptMap-icd-10-cm-to-icd-9-cm.json.gz"))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeConceptMap(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeParameters(b *testing.B) {
	data := []byte(`{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://example.org/ValueSet/x"},{"name":"coding","valueCoding":{"system":"http://example.org/cs","code":"123","display":"A display"}}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeParameters(data); err != nil {
			b.Fatal(err)
		}
	}
}
