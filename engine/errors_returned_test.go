package engine_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

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
