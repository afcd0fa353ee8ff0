package operation_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/synth"
)

func TestGeneratorCodes(t *testing.T) {
	e := tableEngine(t)
	publish, err := e.Prepare(t.Context(), "CodeSystem", "q", []byte(`{"resourceType":"CodeSystem","id":"q","url":"http://q","name":"Q","status":"active","content":"complete",
		"property":[{"code":"notSelectable","type":"boolean","uri":"http://hl7.org/fhir/concept-properties#notSelectable"},{"code":"inactive","type":"boolean","uri":"http://hl7.org/fhir/concept-properties#inactive"}],
		"concept":[{"code":"z","display":"Zeta"},{"code":"y","display":"Ypsilon"},{"code":"old","property":[{"code":"inactive","valueBoolean":true}]},{"code":"group","property":[{"code":"notSelectable","valueBoolean":true}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	publish()
	publish, err = e.Prepare(t.Context(), "ValueSet", "none", []byte(`{"resourceType":"ValueSet","id":"none","url":"http://none","status":"active","compose":{"include":[{"system":"http://s","filter":[{"property":"p","op":"=","value":"nobody"}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	publish()
	alpha, beta := synth.Coding{System: "http://s", Code: "a", Display: "Alpha"}, synth.Coding{System: "http://s", Code: "b", Display: "Beta"}
	ypsilon, zeta := synth.Coding{System: "http://q", Code: "y", Display: "Ypsilon"}, synth.Coding{System: "http://q", Code: "z", Display: "Zeta"}
	paths := []string{"Condition.code", "Condition.bodySite", "Device.type"}
	for _, tt := range []struct {
		choices []string
		want    map[string][]synth.Coding
	}{
		{nil, map[string][]synth.Coding{}},
		{[]string{"Condition.code=valueset:http://v"}, map[string][]synth.Coding{"Condition.code": {alpha, beta}}},
		{[]string{"Condition.code=ecl:http://s|< s#a |Alpha|"}, map[string][]synth.Coding{"Condition.code": {beta}}},
		{
			[]string{"Condition.code=valueset:http://v", "Condition.code=valueset:http://q?fhir_vs", "Condition.code=ecl:http://s|s#a", "Device.type=ecl:http://s|s#a"},
			map[string][]synth.Coding{"Condition.code": {ypsilon, zeta, alpha, beta}, "Device.type": {alpha}},
		},
	} {
		got, err := operation.GeneratorCodes(t.Context(), e, paths, tt.choices)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.choices, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		choice string
		err    error
		text   string
	}{
		{"Condition.code", engine.ErrInvalidParameter, "PATH=ecl:EXPRESSION"},
		{"Condition.code=http://v", engine.ErrInvalidParameter, "PATH=valueset:CANONICAL"},
		{"Condition.code=valueset:", engine.ErrInvalidParameter, "is not of the form"},
		{"Condition.code=ecl:", engine.ErrInvalidParameter, "is not of the form"},
		{"Condition.cod=valueset:http://v", engine.ErrInvalidParameter, `codes of "Condition.cod" cannot be chosen; there are Condition.code, Condition.bodySite, Device.type`},
		{"Observation.type=valueset:http://v", engine.ErrInvalidParameter, "there are Device.type, "},
		{"Condition.code=valueset:http://none", engine.ErrInvalidParameter, "has no codes"},
		{"Condition.code=valueset:http://nowhere", engine.ErrUnknownValueSet, "http://nowhere"},
		{"Condition.code=ecl:< 404684003", engine.ErrUnknownValueSet, "http://snomed.info/sct"},
		{"Condition.code=ecl:http://s|< s#b", engine.ErrInvalidParameter, "has no codes"},
		{"Condition.code=ecl:http://s|< (", nil, "expression constraint"},
		{"Condition.code=valueset:http://hl7.org/fhir/ValueSet/units?fhir_vs", engine.ErrUnknownValueSet, ""},
	} {
		_, err := operation.GeneratorCodes(t.Context(), e, paths, []string{tt.choice})
		if err == nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v", tt.choice, err)
		}
	}
	if _, err := operation.GeneratorCodes(t.Context(), e, nil, []string{"Group.code=valueset:http://v"}); err == nil || !strings.Contains(err.Error(), "there are none for this type") {
		t.Error(err)
	}
}
