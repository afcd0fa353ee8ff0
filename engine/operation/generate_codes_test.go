package operation_test

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
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
		{"Group.dtype=valueset:http://v", engine.ErrInvalidParameter, "there are Condition.code, "},
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
	if _, err := operation.GeneratorCodes(t.Context(), e, paths, slices.Repeat([]string{"Condition.code=valueset:http://v"}, 101)); err == nil || !strings.Contains(err.Error(), "101 values; at most 100") {
		t.Error(err)
	}
	if _, err := operation.GeneratorCodes(t.Context(), e, nil, []string{"Group.code=valueset:http://v"}); err == nil || !strings.Contains(err.Error(), "there are none for this type") {
		t.Error(err)
	}
}

// TestTooManyGeneratorCodes refuses more codes than can be drawn from, of one choice and of
// several together.
func TestTooManyGeneratorCodes(t *testing.T) {
	const half = 100_000 // below each of two roots
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: "http://large", Status: "active"}, Content: "complete", HierarchyMeaning: "is-a"})
	add := func(code string, parent int) int {
		at, err := b.Add(&codesystem.Concept{Code: code, Parent: parent})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, root := range []string{"a", "b"} {
		parent := add(root, -1)
		for i := range half {
			add(root+strconv.Itoa(i), parent)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New()
	if err := e.Publish(engine.CodeSystemEntry(x, "made here")); err != nil {
		t.Fatal(err)
	}
	const all, a, other = "Condition.code=valueset:http://large?fhir_vs", "Condition.code=valueset:http://large?fhir_vs=isa/a", "Condition.code=valueset:http://large?fhir_vs=isa/b"
	paths := []string{"Condition.code"}
	codes, err := operation.GeneratorCodes(t.Context(), e, paths, []string{a, a})
	if err != nil || len(codes["Condition.code"]) != half+1 {
		t.Errorf("%d, %v", len(codes["Condition.code"]), err)
	}
	for _, choices := range [][]string{{all}, {a, other}} {
		if _, err := operation.GeneratorCodes(t.Context(), e, paths, choices); !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "200,002 codes, more than 200,000") {
			t.Errorf("%v: %v", choices, err)
		}
	}
}

// TestGeneratedScores scores the responses that are generated: each that is completed has
// a score, and those that are not say what is missing.
func TestGeneratedScores(t *testing.T) {
	env := operation.Env{Engine: engine.New()}
	for _, template := range score.Codes() {
		bundle, err := generate(t, env, "QuestionnaireResponse", "count=400", "questionnaire_template="+template)
		if err != nil {
			t.Fatal(err)
		}
		bands := map[string]bool{}
		for _, body := range resourcesOf(t, bundle) {
			doc, err := document.Parse(body, r4.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			status := doc.Root().Get("status").Text()
			r, err := operation.Score(doc.Root(), "")
			switch {
			case status == "entered-in-error":
				if !errors.Is(err, score.ErrEnteredInError) {
					t.Errorf("%v: %s", err, body)
				}
			case err != nil || r.Instrument.Code != template || !r.Complete && (status == "completed" || status == "amended"):
				t.Errorf("%+v, %v: %s", r, err, body)
			default:
				bands[r.Band] = true
			}
		}
		in, _ := score.Find(template)
		for _, b := range in.Bands {
			if !bands[b.Name] {
				t.Errorf("%s: none is %s", template, b.Name)
			}
		}
	}
}
