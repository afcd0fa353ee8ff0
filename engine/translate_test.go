package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

func decodeConceptMap(t testing.TB, doc string) *r4.ConceptMap {
	t.Helper()
	m, err := r4.DecodeConceptMap([]byte(`{"resourceType":"ConceptMap",` + strings.TrimPrefix(doc, "{")))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const moods = "http://example.org/cm/moods"

func withMaps(t testing.TB) *engine.Engine {
	e := zoo(t)
	for _, doc := range []string{
		`{"id":"moods","url":"http://example.org/cm/moods","version":"1","status":"active","sourceUri":"http://example.org/vs/pets","targetUri":"http://example.org/vs/colors",
		"group":[{"source":"http://example.org/animals","target":"http://example.org/colors","element":[
			{"code":"cat","target":[{"code":"red","equivalence":"wider","comment":"at times"},{"code":"blue","display":"Blue","equivalence":"equivalent"}]},
			{"code":"dog","target":[{"equivalence":"unmatched"}]}],
			"unmapped":{"mode":"other-map","url":"http://example.org/cm/elsewhere"}}]}`,
		`{"id":"tints","url":"http://example.org/cm/tints","status":"active","sourceCanonical":"http://example.org/vs/all-animals",
		"group":[{"source":"http://example.org/animals","target":"http://example.org/tints","element":[
			{"code":"cat","target":[{"code":"pale","equivalence":"equal","product":[{"property":"http://example.org/p","system":"http://example.org/s","value":"v"}]}]}]}]}`,
	} {
		publish(t, e, engine.ConceptMapEntry(decodeConceptMap(t, doc), "test"))
	}
	return e
}

func TestTranslate(t *testing.T) {
	e := withMaps(t)
	red := "match(equivalence=wider concept=http://example.org/colors|red Red source=" + moods + "|1 comment=at times)"
	blue := "match(equivalence=equivalent concept=http://example.org/colors|blue Blue source=" + moods + "|1)"
	pale := "match(equivalence=equal concept=http://example.org/tints|pale  product(element=http://example.org/p concept=http://example.org/s|v ) source=http://example.org/cm/tints)"
	for _, tt := range []struct {
		name string
		req  engine.TranslateRequest
		want []string
	}{
		{"by url", engine.TranslateRequest{URL: moods, System: animals, Code: "cat"}, []string{"result=true", red, blue}},
		{"by url and version", engine.TranslateRequest{URL: moods + "|1", System: animals, Code: "cat"}, []string{"result=true", red, blue}},
		{"case of the code", engine.TranslateRequest{URL: moods, ConceptMapVersion: "1", System: animals, Code: "CAT"}, []string{"result=true", red, blue}},
		{"instance", engine.TranslateRequest{ID: "moods", Coding: &r4.Coding{System: animals, Code: "cat"}}, []string{"result=true", red, blue}},
		{"no system", engine.TranslateRequest{URL: moods, Code: "cat"}, []string{"result=true", red, blue}},
		{"all maps", engine.TranslateRequest{System: animals, Code: "cat"}, []string{"result=true", red, blue, pale}},
		{"target system", engine.TranslateRequest{System: animals, Code: "cat", TargetSystem: "http://example.org/tints"}, []string{"result=true", pale}},
		{"source value set", engine.TranslateRequest{System: animals, Code: "cat", Source: allAnimals}, []string{"result=true", pale}},
		{"target value set", engine.TranslateRequest{System: animals, Code: "cat", Target: "http://example.org/vs/colors"}, []string{"result=true", red, blue}},
		{
			"reverse",
			engine.TranslateRequest{URL: moods, System: colors, Code: "red", Reverse: true},
			[]string{"result=true", "match(equivalence=narrower concept=http://example.org/animals|cat Cat source=" + moods + "|1 comment=at times)"},
		},
		{
			"reverse by value set",
			engine.TranslateRequest{System: colors, Code: "blue", Reverse: true, Source: "http://example.org/vs/colors"},
			[]string{"result=true", "match(equivalence=equivalent concept=http://example.org/animals|cat Cat source=" + moods + "|1)"},
		},
		{"concept", engine.TranslateRequest{URL: "http://example.org/cm/tints", CodeableConcept: &r4.CodeableConcept{Coding: []r4.Coding{{System: animals, Code: "dog"}, {System: animals, Code: "cat"}}}}, []string{"result=true", pale}},
		{"unmatched", engine.TranslateRequest{URL: moods, System: animals, Code: "dog"}, []string{"result=false", "match(equivalence=unmatched source=" + moods + "|1)"}},
		{"no mapping", engine.TranslateRequest{URL: "http://example.org/cm/tints", System: animals, Code: "dog"}, []string{"result=false", "message=No translations found"}},
		{"no map", engine.TranslateRequest{System: animals, Code: "dog", Target: "http://nowhere"}, []string{"result=false", "message=No ConceptMap is available to translate from 'http://example.org/animals' to 'http://nowhere'"}},
		{"a concept without codes", engine.TranslateRequest{CodeableConcept: &r4.CodeableConcept{}, TargetSystem: "http://nowhere"}, []string{"result=false", "message=No ConceptMap is available to translate from '(unspecified)' to 'http://nowhere'"}},
		{
			"no mapping, other map not there",
			engine.TranslateRequest{URL: moods, System: animals, Code: "mouse"},
			[]string{"result=false", "message=unmapped codes of http://example.org/cm/moods|1 go to http://example.org/cm/elsewhere: unknown concept map: http://example.org/cm/elsewhere"},
		},
		{
			"posted",
			engine.TranslateRequest{ConceptMap: decodeConceptMap(t, `{"group":[{"source":"http://s","target":"http://t","element":[{"code":"a","target":[{"code":"b","equivalence":"inexact"}]}]}]}`), System: "http://s", Code: "a"},
			[]string{"result=true", "match(equivalence=inexact concept=http://t|b )"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := e.Translate(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outline(t, r.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
			if table := r.Table(); r.Yes() != r.Result || len(table.Rows) != max(1, len(r.Matches)) || len(table.Header) != len(table.Rows[0]) {
				t.Error(table)
			}
		})
	}
}

func TestTranslateErrors(t *testing.T) {
	e := withMaps(t)
	for _, tt := range []struct {
		req  engine.TranslateRequest
		want error
	}{
		{engine.TranslateRequest{URL: "http://nowhere", Code: "cat"}, engine.ErrUnknownConceptMap},
		{engine.TranslateRequest{URL: moods, ConceptMapVersion: "9", Code: "cat"}, engine.ErrUnknownVersion},
		{engine.TranslateRequest{ID: "x", Code: "cat"}, engine.ErrUnknownID},
		{engine.TranslateRequest{ID: "moods", URL: "http://nowhere", Code: "cat"}, engine.ErrInvalidParameter},
		{engine.TranslateRequest{URL: moods}, engine.ErrMissingParameter},
		{engine.TranslateRequest{URL: moods, Coding: &r4.Coding{System: animals}}, engine.ErrMissingParameter},
		{engine.TranslateRequest{URL: moods + "|", Code: "cat"}, r4.ErrCanonical},
		{engine.TranslateRequest{ConceptMap: decodeConceptMap(t, `{"group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"sideways"}]}]}]}`), Code: "a"}, conceptmap.ErrInvalid},
	} {
		if _, err := e.Translate(context.Background(), &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
	for canonical, want := range map[string]error{moods: nil, moods + "|1": nil, moods + "|": r4.ErrCanonical, moods + "|9": engine.ErrUnknownVersion, "http://nowhere": engine.ErrUnknownConceptMap} {
		if m, err := e.ConceptMap(canonical, ""); !errors.Is(err, want) || err == nil && m.Canonical() != moods+"|1" {
			t.Errorf("%s: %v", canonical, err)
		}
	}
}

func TestTranslateOtherMap(t *testing.T) {
	e := withMaps(t)
	publish(t, e, engine.ConceptMapEntry(decodeConceptMap(t, `{"id":"elsewhere","url":"http://example.org/cm/elsewhere","group":[{"source":"http://example.org/animals","target":"http://example.org/colors",
		"element":[{"code":"mouse","target":[{"code":"green","equivalence":"equivalent"}]}],"unmapped":{"mode":"other-map","url":"http://example.org/cm/moods"}}]}`), "test"))
	r, err := e.Translate(context.Background(), &engine.TranslateRequest{URL: moods, System: animals, Code: "mouse"})
	if err != nil || !r.Result || r.Matches[0].Concept.Code != "green" || r.Matches[0].Concept.Display != "Green" {
		t.Error(r, err)
	}
	if _, err := e.Translate(context.Background(), &engine.TranslateRequest{URL: moods, System: animals, Code: "bird"}); !errors.Is(err, conceptmap.ErrMapCycle) {
		t.Error(err)
	}
}

// TestTranslateScoped asks in the words of R5: scopes limit the codes that maps say
// something of.
func TestTranslateScoped(t *testing.T) {
	e := withMaps(t)
	for _, doc := range []string{
		`{"id":"hues","url":"http://example.org/cm/hues","version":"3","status":"active","sourceUri":"http://example.org/vs/pets",
		"group":[{"source":"http://example.org/animals","target":"http://example.org/hues","element":[
			{"code":"cat","target":[{"code":"dark","display":"Dark","equivalence":"equivalent"}]}],"unmapped":{"mode":"fixed","code":"none","display":"None"}}]}`,
		`{"id":"hues2","url":"http://example.org/cm/hues2","status":"active",
		"group":[{"source":"http://example.org/animals","target":"http://example.org/hues","element":[{"code":"cat","target":[{"code":"dark","equivalence":"wider","comment":"at night","product":[{"property":"http://example.org/p","system":"http://example.org/s","value":"v"}]}]}]}]}`,
		`{"id":"tones","url":"http://example.org/cm/tones","status":"active","targetUri":"http://example.org/vs/pets",
		"group":[{"source":"http://example.org/tones","target":"http://example.org/animals","element":[{"code":"x","target":[{"code":"mouse","equivalence":"equal"}]}]}]}`,
		`{"id":"lost","url":"http://example.org/cm/lost","status":"active","sourceUri":"http://example.org/vs/nowhere",
		"group":[{"source":"http://example.org/animals","target":"http://example.org/lost","element":[{"code":"cat","target":[{"code":"x","equivalence":"wider"}]}]}]}`,
	} {
		if strings.Contains(doc, `"id":"lost"`) {
			// Two maps have the same translation.
			for scoped, want := range map[bool]int{true: 1, false: 2} {
				r, err := e.Translate(t.Context(), &engine.TranslateRequest{System: animals, Code: "cat", TargetSystem: "http://example.org/hues", Scoped: scoped})
				if err != nil || len(r.Matches) != want {
					t.Errorf("scoped %v: %v, %v, want %d", scoped, r, err, want)
				}
			}
		}
		publish(t, e, engine.ConceptMapEntry(decodeConceptMap(t, doc), "test"))
	}
	const hues, dark = "http://example.org/cm/hues", "match(equivalence=equivalent concept=http://example.org/hues|dark  originMap=http://example.org/cm/hues|3)"
	for _, tt := range []struct {
		name string
		req  engine.TranslateRequest
		want []string
	}{
		{"as the map has it", engine.TranslateRequest{URL: hues, System: animals, Code: "cat"}, []string{"result=true", dark}},
		{"not mapped", engine.TranslateRequest{URL: hues, System: animals, Code: "dog"}, []string{"result=true", "match(concept=http://example.org/hues|none None originMap=" + hues + "|3)"}},
		{"not in the scope of the map", engine.TranslateRequest{URL: hues, System: animals, Code: "mouse"}, []string{"result=false", "message=No ConceptMap is available to translate from 'http://example.org/animals' to '(unspecified)'"}},
		{"in the scope asked for", engine.TranslateRequest{URL: hues, System: animals, Code: "cat", Source: allAnimals}, []string{"result=true", dark}},
		{
			"not in the scope asked for",
			engine.TranslateRequest{URL: hues, System: animals, Code: "cat", Source: colors + "?fhir_vs"},
			[]string{"result=false", "message='http://example.org/animals#cat' is not in the value set 'http://example.org/colors?fhir_vs', so no ConceptMap can translate it"},
		},
		{"back, not in the scope of the map", engine.TranslateRequest{URL: "http://example.org/cm/tones", System: animals, Code: "mouse", Reverse: true}, []string{"result=false", "message=No ConceptMap is available to translate from '(unspecified)' to 'http://example.org/animals'"}},
		{"back, with the code as the target", engine.TranslateRequest{URL: hues + "2", System: "http://example.org/hues", Code: "dark", Reverse: true}, []string{"result=true", "match(equivalence=wider concept=http://example.org/hues|dark  source=http://example.org/animals|cat  product(element=http://example.org/p concept=http://example.org/s|v ) originMap=" + hues + "2 comment=at night)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.req.Scoped = true
			r, err := e.Translate(context.Background(), &tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, outline(t, r.AppendJSON(nil))); diff != "" {
				t.Error(diff)
			}
		})
	}
	_, err := e.Translate(context.Background(), &engine.TranslateRequest{URL: "http://example.org/cm/lost", System: animals, Code: "cat", Scoped: true})
	var seen engine.OutcomeError
	if !errors.Is(err, engine.ErrUnknownValueSet) || !errors.As(err, &seen) || seen.Class() != issue.ClassNotFound || !strings.Contains(seen.Issues()[0].Details.Text, "http://example.org/vs/nowhere") {
		t.Error("a scope that is not there:", err)
	}
}
