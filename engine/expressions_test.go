package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// composing is an engine with the edition for expressions, and a map of its concepts.
func composing(t testing.TB) *engine.Engine {
	t.Helper()
	e := engine.New()
	x := expressiontest.Edition(t)
	publish(t, e, engine.CodeSystemEntry(x, "test"))
	m := &r4.ConceptMap{Header: r4.Header{ResourceType: "ConceptMap", URL: "http://example.org/map", Status: "active"}}
	group := r4.ConceptMapGroup{Source: sct, Target: "http://example.org/icd"}
	for code, equivalence := range map[string]string{"asthma": "equivalent", "pneumonitis": "wider", "infection": "narrower", "fractureOfFemur": "unmatched", "bacterialPneumonia": "equal"} {
		group.Element = append(group.Element, r4.ConceptMapElement{
			Code: expressiontest.Codes()[code], Target: []r4.ConceptMapTarget{{Code: "X-" + code, Equivalence: equivalence}},
		})
	}
	m.Group = []r4.ConceptMapGroup{group}
	publish(t, e, engine.ConceptMapEntry(m, "test"))
	return e
}

// The expressions of the tests.
const (
	severeAsthma = "asthma : severity = severe"
	leftLungOne  = "disorder : { site = ( lung : laterality = left ), morphology = granuloma }"
	likeBacteria = "disorder : agent = bacterium, { site = lung, morphology = inflammation }" // is bacterialPneumonia
)

// TestExpressionMembership asks for expressions in ECL value sets, by $validate-code, memberOf and
// sets of codes for searches: + is a member, - is none, ? is not decided.
func TestExpressionMembership(t *testing.T) {
	e := composing(t)
	for line := range strings.Lines(`
+ asthma : severity = severe; *
+ asthma : severity = severe; << asthma
+ asthma : severity = severe; < asthma
+ asthma : severity = severe; << lungDisorder
+ asthma : severity = severe; <! asthma
+ asthma : severity = severe; <<! asthma
- asthma : severity = severe; <! lungDisorder
- asthma : severity = severe; asthma
- asthma : severity = severe; << infection
- asthma : severity = severe; > asthma
- asthma : severity = severe; >> asthma
- asthma : severity = severe; ^ refset
- asthma : severity = severe; << asthma AND ^ refset
+ asthma : severity = severe; < (^ refset)
+ asthma : severity = severe; << (^ refset)
+ asthma : severity = severe; << asthma OR << infection
- asthma : severity = severe; << asthma AND << infection
+ asthma : severity = severe; << lungDisorder MINUS << infection
- asthma : severity = severe; << lungDisorder MINUS << asthma
+ asthma : severity = severe; < disorder : severity = severe
+ asthma : severity = severe; < disorder : severity = << qualifier
+ asthma : severity = severe; < disorder : severity = *
- asthma : severity = severe; < disorder : severity = mild
+ asthma : severity = severe; < disorder : severity != mild
- asthma : severity = severe; < disorder : severity != severe
+ asthma : severity = severe; < disorder : site = lung
+ asthma : severity = severe; < disorder : site = << structure, severity = severe
+ asthma : severity = severe; < disorder : { site = << structure }
- asthma : severity = severe; < disorder : { site = << structure, severity = severe }
+ asthma : severity = severe; < disorder : { site = << structure } , { severity = severe }
- asthma : severity = severe; < disorder : agent = *
+ asthma : severity = severe; < disorder : agent = * OR severity = *
+ asthma : severity = severe; < disorder : [0..0] agent = *
- asthma : severity = severe; < disorder : [0..0] severity = *
+ asthma : severity = severe; < disorder : [1..1] severity = *
+ asthma : severity = severe; < disorder : [2..2] * = *
+ asthma : severity = severe; < disorder : << objectAttribute = severe
- asthma : severity = severe; * : R severity = *
- asthma : severity = severe; ( < disorder ) . severity
+ asthma : severity = severe; < disorder : severity = ( * : R severity = * ) OR severity = severe
+ asthma : severity = severe; << asthma {{ C active = 1 }}
- asthma : severity = severe; << asthma {{ C active = 0 }}
+ asthma : severity = severe; << asthma {{ C definitionStatus = defined }}
- asthma : severity = severe; << asthma {{ C definitionStatus = primitive }}
? asthma : severity = severe; << asthma {{ C moduleId = 900000000000207008 }}
? asthma : severity = severe; << asthma {{ term = "asthma" }}
- asthma : severity = severe; << infection {{ term = "asthma" }}
+ asthma : severity = severe; << asthma {{ + HISTORY }}
+ asthma : severity = severe; !!< (<< asthma)
- asthma : severity = severe; !!> (<< asthma)
+ <<< asthma : severity = severe; << asthma
+ <<< asthma : severity = severe; << asthma {{ C definitionStatus = primitive }}
+ asthma + infection; << asthma AND << infection
+ asthma + infection; <! asthma
+ asthma + infection; < disorder : agent = organism, site = lung
- asthma + infection; < disorder : { agent = organism, site = lung }
+ disorder : { site = ( lung : laterality = left ), morphology = granuloma }; << pneumonitis
- disorder : { site = ( lung : laterality = left ), morphology = granuloma }; << infection
+ disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : { site = << lung, morphology = << inflammation }
+ disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : site = ( << lung : laterality = left )
- disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : site = ( << lung : laterality = right )
- disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : site = lung
- disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : site = leftLung
+ disorder : { site = ( lung : laterality = left ), morphology = granuloma }; < disorder : site != leftLung
+ disorder : site = lung, morphology = inflammation; >> pneumonitis
+ disorder : site = lung, morphology = inflammation; > pneumonitis
? disorder : site = lung, morphology = inflammation; >! pneumonitis
- disorder : site = lung, morphology = inflammation; >! asthma
- disorder : site = lung, morphology = inflammation; !!< (<< disorder)
+ disorder : site = lung, morphology = inflammation; << lungDisorder
- disorder : site = lung, morphology = inflammation; << pneumonitis
+ disorder : agent = bacterium, { site = lung, morphology = inflammation }; bacterialPneumonia
+ disorder : agent = bacterium, { site = lung, morphology = inflammation }; << bacterial
+ disorder : agent = bacterium, { site = lung, morphology = inflammation }; bacterialPneumonia OR asthma
- disorder : agent = bacterium, { site = lung, morphology = inflammation }; < bacterialPneumonia
+ disorder : agent = bacterium, { site = lung, morphology = inflammation }; <! infectivePneumonia
+ === asthma; ^ refset
+ product : ingredient = caffeine, strength = #12.5; * : strength > #10
- product : ingredient = caffeine, strength = #12.5; * : strength > #12.5
+ product : ingredient = caffeine, strength = #12.5; * : strength >= #12.5, ingredient = caffeine
- product : ingredient = caffeine, strength = #12.5; * : strength != #12.5
+ product : trade = "Panadol"; * : trade = "Panadol"
- product : trade = "Panadol"; * : trade = "Aspro"
`) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		text, constraint, _ := strings.Cut(line[2:], "; ")
		code, ecl := expressiontest.Write(text), expressiontest.Write(constraint)
		vs := &r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", Status: "active"},
			Compose: &r4.Compose{Include: []r4.Include{{System: sct, Filter: []r4.Filter{{Property: "constraint", Op: "=", Value: ecl}}}}},
		}
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{ValueSet: vs, System: sct, Code: code})
		got := "-"
		switch {
		case err != nil:
			if got = "?"; !strings.Contains(err.Error(), "not decided") {
				t.Errorf("%s: %v", line, err)
			}
		case r.Result:
			got = "+"
		}
		if got != line[:1] {
			t.Errorf("$validate-code: %s of %s", got, line)
		}
		codes, err := e.CodesOf(context.Background(), sct, ecl)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		} else if codes.Contains(sct, code) != (line[0] == '+') {
			t.Errorf("codes of %s: %t", line, line[0] != '+')
		}
	}
}

// TestExpressionFilters asks for expressions in value sets by the filters of FHIR.
func TestExpressionFilters(t *testing.T) {
	e := composing(t)
	filter := func(property, op, value string) []r4.Include {
		return []r4.Include{{System: sct, Filter: []r4.Filter{{Property: expressiontest.Write(property), Op: op, Value: expressiontest.Write(value)}}}}
	}
	listed := []r4.Include{{System: sct, Concept: []r4.ConceptReference{{Code: expressiontest.Write(severeAsthma)}}}}
	for _, test := range []struct {
		code             string
		include, exclude []r4.Include
		want             bool
	}{
		{severeAsthma, []r4.Include{{System: sct}}, nil, true},
		{severeAsthma, filter("concept", "is-a", "asthma"), nil, true},
		{severeAsthma, filter("concept", "is-a", "infection"), nil, false},
		{severeAsthma, filter("concept", "descendent-of", "asthma"), nil, true},
		{severeAsthma, filter("concept", "is-not-a", "asthma"), nil, false},
		{severeAsthma, filter("concept", "is-not-a", "infection"), nil, true},
		{severeAsthma, filter("concept", "child-of", "asthma"), nil, true},
		{severeAsthma, filter("concept", "generalizes", "asthma"), nil, false},
		{severeAsthma, filter("concept", "in", "refset"), nil, false},
		{severeAsthma, filter("concept", "=", "asthma"), nil, false},
		{severeAsthma, filter("concept", "not-in", "refset"), nil, true},
		{severeAsthma, filter("parent", "=", "asthma"), nil, true},
		{severeAsthma, filter("ancestor", "=", "lungDisorder"), nil, true},
		{severeAsthma, filter("ancestor", "=", "infection"), nil, false},
		{severeAsthma, filter("site", "=", "lung"), nil, true},
		{severeAsthma, filter("site", "=", "femur"), nil, false},
		{severeAsthma, filter("sufficientlyDefined", "=", "true"), nil, true},
		{severeAsthma, filter("inactive", "=", "true"), nil, false},
		{severeAsthma, filter("expressions", "=", "false"), nil, false},
		{severeAsthma, filter("expressions", "=", "true"), nil, true},
		{severeAsthma, filter("concept", "is-a", "lungDisorder"), filter("concept", "is-a", "asthma"), false},
		{severeAsthma, filter("concept", "is-a", "lungDisorder"), filter("concept", "is-a", "infection"), true},
		{severeAsthma, listed, nil, true},
		{"asthma : severity = mild", listed, nil, false},
		{severeAsthma, filter("concept", "is-a", "asthma"), listed, false},
		{likeBacteria, filter("concept", "is-a", "bacterialPneumonia"), nil, true},
		{likeBacteria, filter("concept", "=", "bacterialPneumonia"), nil, true},
		{likeBacteria, filter("concept", "descendent-of", "bacterialPneumonia"), nil, false},
		{severeAsthma, []r4.Include{{ValueSet: []string{sct + "?fhir_vs=isa/" + expressiontest.Codes()["asthma"]}}}, nil, true},
		{severeAsthma, []r4.Include{{ValueSet: []string{sct + "?fhir_vs=refset/" + expressiontest.Codes()["refset"]}}}, nil, false},
		{severeAsthma, []r4.Include{{ValueSet: []string{sct + "?fhir_vs"}}}, nil, true},
	} {
		vs := &r4.ValueSet{
			Header:  r4.Header{ResourceType: "ValueSet", URL: "http://example.org/vs", Status: "active"},
			Compose: &r4.Compose{Include: test.include, Exclude: test.exclude},
		}
		r, err := e.ValidateCode(context.Background(), &engine.ValidateCodeRequest{ValueSet: vs, System: sct, Code: expressiontest.Write(test.code)})
		if err != nil || r.Result != test.want {
			t.Errorf("%s in %v without %v: %t, %v", test.code, test.include, test.exclude, r.Result, err)
		}
		with, err := e.With(engine.ValueSetEntry(vs, "test"))
		if err != nil {
			t.Fatal(err)
		}
		codes, err := with.CodesIn(context.Background(), vs.URL)
		if err != nil || codes.Contains(sct, expressiontest.Write(test.code)) != test.want {
			t.Errorf("codes in %v without %v have %s: %t, %v", test.include, test.exclude, test.code, !test.want, err)
		}
	}
}

// TestExpressionOperations asks the operations about expressions.
func TestExpressionOperations(t *testing.T) {
	e := composing(t)
	ctx := context.Background()
	code := expressiontest.Write(severeAsthma)
	r, err := e.Lookup(ctx, &engine.LookupRequest{System: sct, Code: code})
	if err != nil {
		t.Fatal(err)
	}
	answer := string(r.AppendJSON(nil))
	for _, want := range []string{
		`"valueString":"asthma : severity = severe"`, `"valueCode":"` + code,
		`"normalFormTerse"},{"name":"value","valueString":"=== 195967001 : 246112005 = 24484000, 363698007 = 39607008"`,
		`=== 195967001 |asthma| : 246112005 |severity| = 24484000 |severe|, 363698007 |site| = 39607008 |lung|`,
		`"parent"},{"name":"value","valueCode":"195967001"},{"name":"description","valueString":"asthma"`, `"sufficientlyDefined"},{"name":"value","valueBoolean":true`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
	if r, err = e.Lookup(ctx, &engine.LookupRequest{System: sct, Code: expressiontest.Codes()["leftLung"], Properties: []string{"normalFormTerse"}}); err != nil ||
		!strings.Contains(string(r.AppendJSON(nil)), "=== 44029006 : 272741003 = 7771000") {
		t.Errorf("normal form of a concept: %s, %v", r.AppendJSON(nil), err)
	}
	if _, err = e.Lookup(ctx, &engine.LookupRequest{System: sct, Code: expressiontest.Write("asthma : 999999999 = severe")}); !errors.Is(err, engine.ErrUnknownCode) ||
		!strings.Contains(err.Error(), "at position 12, concept 999999999") {
		t.Errorf("lookup: %v", err)
	}
	for _, test := range []struct{ a, b, want string }{
		{"asthma", severeAsthma, "subsumes"},
		{severeAsthma, "lungDisorder", "subsumed-by"},
		{likeBacteria, "bacterialPneumonia", "equivalent"},
		{severeAsthma, "asthma:{severity=severe}", "equivalent"},
		{severeAsthma, leftLungOne, "not-subsumed"},
		{"infection", severeAsthma, "not-subsumed"},
	} {
		got, err := e.Subsumes(ctx, &engine.SubsumesRequest{System: sct, CodeA: expressiontest.Write(test.a), CodeB: expressiontest.Write(test.b)})
		if err != nil || string(got.Outcome) != test.want || got.Table().Rows[1][1] != expressiontest.Write(test.b) {
			t.Errorf("%s and %s: %s, %v; want %s", test.a, test.b, got.Outcome, err, test.want)
		}
	}
	if _, err := e.Subsumes(ctx, &engine.SubsumesRequest{System: sct, CodeA: code, CodeB: code + "+"}); !errors.Is(err, engine.ErrUnknownCode) {
		t.Errorf("subsumes: %v", err)
	}
	for _, test := range []struct {
		code, display string
		want          bool
		says          string
	}{
		{severeAsthma, "", true, ""},
		{severeAsthma, "asthma : severity = severe", true, ""},
		{severeAsthma, "asthma", false, "Wrong Display Name"},
		{"asthma |Asthma| : severity = severe |bad|", "Asthma : severity = bad", true, ""},
		{"asthma : severity", "", false, "(position 21): expected = after"},
		{"asthma : severity = severe,", "", false, "expected the identifier"},
		{"asthma : severity = oldAsthma", "", false, "concept is inactive"},
		{"asthma : severity = #1", "", false, "other kind of value"},
		{"asthma : lung = severe", "", false, "is no attribute"},
	} {
		got, err := e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: sct, Code: expressiontest.Write(test.code), Display: test.display})
		if answer := string(got.AppendJSON(nil)); err != nil || got.Result != test.want || !strings.Contains(answer, test.says) {
			t.Errorf("%s: %s, %v", test.code, answer, err)
		}
	}
	for _, test := range []struct{ code, want string }{
		{severeAsthma, "X-asthma wider"},
		{likeBacteria, "X-bacterialPneumonia equal"},
		{"pneumonitis : severity = mild", "X-pneumonitis wider"},
		{"infection : severity = mild", "X-infection inexact"},
		{"fractureOfFemur : severity = mild", "X-fractureOfFemur unmatched"},
		{"asthma + infection", ""},
	} {
		got, err := e.Translate(ctx, &engine.TranslateRequest{URL: "http://example.org/map", System: sct, Code: expressiontest.Write(test.code)})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range got.Matches {
			list = append(list, m.Concept.Code+" "+string(m.Equivalence))
		}
		if strings.Join(list, ",") != test.want {
			t.Errorf("%s translates to %s, want %s", test.code, list, test.want)
		}
	}
}

// TestExpressionsBelow asks which expressions are below and above concepts, and other expressions.
func TestExpressionsBelow(t *testing.T) {
	e := composing(t)
	for _, test := range []struct {
		code  string
		below bool
		yes   []string
		no    []string
	}{
		{"lungDisorder", true, []string{"lungDisorder", "asthma", severeAsthma, leftLungOne, likeBacteria}, []string{"disorder", "disorder : severity = severe", "asthma : severity"}},
		{"asthma", false, []string{"asthma", "lungDisorder", "disorder : site = structure"}, []string{severeAsthma, "infection"}},
		{severeAsthma, true, []string{severeAsthma, "asthma : {severity = severe}", "asthma + infection : severity = severe"}, []string{"asthma", "asthma : severity = mild"}},
		{severeAsthma, false, []string{severeAsthma, "asthma", "disorder : severity = qualifier"}, []string{"infection"}},
		{"disorder : site = structure", true, []string{"asthma", "fractureOfNeck", severeAsthma}, []string{"infection", "disorder"}},
	} {
		codes, err := e.CodesBelow(context.Background(), sct, expressiontest.Write(test.code), test.below)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range test.yes {
			if !codes.Contains(sct, expressiontest.Write(code)) {
				t.Errorf("%s (below %t) lacks %s", test.code, test.below, code)
			}
		}
		for _, code := range test.no {
			if codes.Contains(sct, expressiontest.Write(code)) {
				t.Errorf("%s (below %t) has %s", test.code, test.below, code)
			}
		}
	}
	if codes, err := e.CodesBelow(context.Background(), sct, "999999999", true); !errors.Is(err, engine.ErrUnknownCode) {
		t.Errorf("below no code: %v, %v", codes, err)
	}
	if !e.Lacks(context.Background(), sct, expressiontest.Write("asthma : lung = severe")) || e.Lacks(context.Background(), sct, expressiontest.Write(severeAsthma)) {
		t.Error("Lacks confuses expressions")
	}
}
