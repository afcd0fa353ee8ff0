package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// answer is what every operation returns.
type answer interface {
	AppendJSON(dst []byte) []byte
	Table() *engine.Table
}

// A question asks an engine something.
type question struct {
	name string
	sum  uint32 // of its answer
	ask  func(context.Context) (answer, error)
}

func asked[Q, A any](op func(context.Context, *Q) (A, error), req Q) func(context.Context) (answer, error) {
	return func(ctx context.Context) (answer, error) {
		a, err := op(ctx, &req)
		if p, is := any(a).(answer); is {
			return p, err
		}
		return any(&a).(answer), err
	}
}

// questions are of all operations.
func questions(t *testing.T) []question {
	e, clinic := withMaps(t), clinic(t)
	other := build(t, r4.CodeSystem{Header: r4.Header{ID: "other", URL: animals, Version: "0.9.0"}, Property: []r4.CodeSystemProperty{{Code: "inactive", Type: "boolean"}}},
		c{code: "animal", display: "Animal"}, c{code: "cat", display: "Tabby", parents: parents("animal"), properties: []codesystem.Property{p("inactive", r4.Boolean(true))}},
		c{code: "crow", display: "Crow", parents: parents("animal")})
	publish(t, e, engine.CodeSystemEntry(other, "test"),
		engine.ConceptMapEntry(decodeConceptMap(t, `{"url":"http://example.org/cm/own","status":"active","group":[{"source":"`+animals+`","target":"`+animals+`","element":[{"code":"cat","target":[{"code":"crow","equivalence":"inexact"}]}]}]}`), "test"),
		valueSet(`{"url":"http://example.org/vs/nested","status":"active","compose":{"include":[{"valueSet":["http://example.org/vs/mixed"]}],"exclude":[{"valueSet":["http://example.org/vs/pets"]}]}}`))
	uses := func(_ context.Context, system string, of func(string) bool, first int) (list []r4.CodeUse, _ error) {
		for _, code := range []string{"animal", "cat", "dog", "fish", "mouse"} {
			if of(code) {
				list = append(list, r4.CodeUse{Code: code, Resources: len(code), Types: map[string]int{"Basic": first}, First: []string{system}})
			}
		}
		return list, nil
	}
	cat := r4.Coding{System: animals, Version: "1.0.0", Code: "CAT"}
	return []question{
		{"lookup", 0x2f4e82e9, asked(e.Lookup, engine.LookupRequest{Coding: &cat, DisplayLanguage: "de"})},
		{"subsumes", 0x04fd7961, asked(e.Subsumes, engine.SubsumesRequest{System: animals, Version: "1.0.0", CodeA: "pet", CodeB: "cat"})},
		{"lookup of groups", 0x81f4f3f3, asked(clinic.Lookup, engine.LookupRequest{System: sct, Code: "74400008"})},
		{"find", 0x2f201417, asked(e.FindMatches, engine.FindMatchesRequest{System: animals, Version: "1.0.0", Properties: []codesystem.Property{p("legs", r4.Value{Type: "Integer", Text: "4"})}, Count: ptr(1)})},
		{"find text", 0x0b7aeb08, asked(e.FindMatches, engine.FindMatchesRequest{System: animals, Version: "1.0.0", Text: "mo", Count: ptr(3)})},
		{"explain", 0x7271ffc5, asked(e.Explain, engine.ExplainRequest{URL: "http://example.org/vs/nested", Coding: &cat, DisplayLanguage: "de"})},
		{"compare one that is broken", 0x3dd7cbfa, asked(e.Compare, engine.CompareRequest{ThisURL: "http://example.org/vs/broken", OtherURL: pets, Diagnostics: true})},
		{"compare", 0x5a693ea0, asked(e.Compare, engine.CompareRequest{ThisURL: pets, OtherURL: "http://example.org/vs/mixed", Diagnostics: true})},
		{"translate", 0xdc927964, asked(e.Translate, engine.TranslateRequest{System: animals, Version: "1.0.0", Code: "cat"})},
		{"expand", 0x5fb53455, asked(e.Expand, engine.ExpandRequest{URL: "http://example.org/vs/mixed", Count: ptr(2), Offset: ptr(1)})},
		{"validate", 0x420c8e6a, asked(e.ValidateCode, engine.ValidateCodeRequest{URL: pets, System: animals, Code: "dog", Display: "Cat"})},
		{"validate in a system", 0xce4e7b62, asked(e.ValidateCodeInSystem, engine.ValidateCodeInSystemRequest{URL: animals, Code: "cow"})},
		{"member", 0x328315f3, asked(e.MemberOf, engine.MemberOfRequest{System: animals, Code: "dog", ValueSetURL: pets})},
		{"impact on a set", 0x88018c5f, asked(e.Impact, engine.ImpactRequest{Old: animals + "|0.9.0", New: animals + "|1.0.0", ValueSets: []string{"http://example.org/vs/mixed"}})},
		{"impact", 0x853d83bc, asked(e.Impact, engine.ImpactRequest{Old: animals + "|1.0.0", New: animals + "|0.9.0", Expressions: []string{`<< x#"animal"`, "<<"}, First: 2, Uses: uses})},
	}
}

// identifier is what each expansion has anew.
var identifier = regexp.MustCompile(`"identifier":"[^"]*",`)

// TestAnswers checks all text of answers, as FHIR and as tables, by sums of what people have read.
func TestAnswers(t *testing.T) {
	for _, q := range questions(t) {
		a, err := q.ask(t.Context())
		if err != nil {
			t.Errorf("%s: %v", q.name, err)
			continue
		}
		text := fmt.Sprintf("%s\n%q", identifier.ReplaceAll(a.AppendJSON(nil), nil), *a.Table())
		if sum := crc32.ChecksumIEEE([]byte(text)); sum != q.sum {
			t.Errorf("%s: the answer has another sum, %#08x:\n%s", q.name, sum, text)
		}
	}
}

// TestEndedContexts: whichever look at the context finds that it ended, the answer is that error.
func TestEndedContexts(t *testing.T) {
	for i, q := range questions(t) {
		for left := 0; ; left++ {
			ctx := contexttest.After(t.Context(), left)
			_, err := questions(t)[i].ask(ctx)
			if !ctx.Seen() {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: look %d: %v", q.name, left, err)
			}
		}
	}
}

// TestErrorsAreReturned checks that no step of a request passes over an error.
func TestErrorsAreReturned(t *testing.T) {
	e, ctx := withMaps(t), t.Context()
	o := engine.NewOverlays(e, engine.OverlayLimits{})
	rules := engine.VersionRules{System: []string{animals + "|"}}
	overlaid := func(doc string) error {
		_, err := o.For("tx-resource", []json.RawMessage{json.RawMessage(doc)})
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want error // nil for any
	}{
		"a value set of numbers":           {overlaid(`{"resourceType":"ValueSet","url":7}`), nil},
		"no resource":                      {overlaid(`[]`), nil},
		"a cache of no resource":           {second(o.StartCache("", "tx-resource", []json.RawMessage{json.RawMessage(`[]`)}, true)), nil},
		"explained in no language":         {second(e.Explain(ctx, &engine.ExplainRequest{URL: pets, System: animals, Code: "cat", DisplayLanguage: "!!"})), engine.ErrInvalidParameter},
		"explained by rules that are none": {second(e.Explain(ctx, &engine.ExplainRequest{URL: pets, System: animals, Code: "cat", Versions: rules})), nil},
		"validated by rules that are none": {second(e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat", Versions: rules})), nil},
		"translated from an unknown scope": {second(e.Translate(ctx, &engine.TranslateRequest{URL: moods, System: animals, Code: "cat", Source: "http://nowhere", Scoped: true})), engine.ErrUnknownValueSet},
		"a map without a url":              {second(e.ConceptMap(moods+"|", "")), r4.ErrCanonical},
		"codes of no value set":            {second(e.CodesIn(ctx, "ValueSet/nobody")), engine.ErrUnknownID},
	} {
		if tt.err == nil || tt.want != nil && !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %v", name, tt.err, tt.want)
		}
	}
	if m, err := e.ConceptMap(moods+"|1", ""); err != nil || m == nil {
		t.Errorf("the version of a map in its url: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestIsDefault checks which of two versions is the default one, and that a resource that nobody publishes is none.
func TestIsDefault(t *testing.T) {
	e := engine.New()
	old, latest := engine.CodeSystemEntry(animalSystem(t, "1"), "test"), engine.CodeSystemEntry(animalSystem(t, "2"), "test")
	publish(t, e, latest, old)
	stranger := &engine.Entry{Header: latest.Header}
	patient := &engine.Entry{Header: r4.Header{ResourceType: "Patient", URL: animals}}
	if e.IsDefault(old) || !e.IsDefault(latest) || e.IsDefault(stranger) || e.IsDefault(patient) {
		t.Error(e.IsDefault(old), e.IsDefault(latest), e.IsDefault(stranger), e.IsDefault(patient))
	}
}
