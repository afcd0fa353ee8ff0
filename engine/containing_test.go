package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// containing returns the ids of the value sets with a code, and the rest of the answer.
func containing(t *testing.T, e *engine.Engine, req engine.ContainingRequest) (string, *engine.ContainingResult) {
	t.Helper()
	r, err := e.Containing(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(r.Entries))
	for i, entry := range r.Entries {
		ids[i] = entry.Header.ID
	}
	return strings.Join(ids, " "), r
}

func TestContaining(t *testing.T) {
	e := zoo(t)
	basic := valueSet(`{"id":"basic","url":"http://a.example.org/vs/basic","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`)
	basic.BuiltIn = true
	publish(t, e, basic,
		valueSet(`{"id":"pets-6","url":"http://example.org/vs/pets","version":"6","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`),
		valueSet(`{"id":"imports","url":"http://example.org/vs/imports","status":"active","compose":{"include":[{"valueSet":["http://example.org/vs/mixed"]}]}}`),
	)
	for _, tt := range []struct {
		code, system, version string
		limit                 int
		ids                   string
		more                  bool
		failed                int
	}{
		{"cat", animals, "", 10, "imports mixed pets basic", false, 0}, // built in comes last, and of pets the default version counts
		{"CAT", animals, "1.0.0", 10, "imports mixed pets basic", false, 0},
		{"cat", animals, "9", 10, "", false, 0},
		{"cat", animals, "", 2, "imports mixed", true, 0},
		{"animal", animals, "", 10, "basic", false, 0},
		{"red", colors, "", 10, "imports mixed", false, 1}, // one needs a code system that is missing
		{"green", colors, "", 10, "", false, 1},
		{"unicorn", animals, "", 10, "", false, 0},
		{"x", "http://nowhere", "", 10, "", false, 0},
	} {
		ids, r := containing(t, e, engine.ContainingRequest{Code: tt.code, System: tt.system, Version: tt.version, Limit: tt.limit})
		if ids != tt.ids || r.More != tt.more || r.Failed != tt.failed {
			t.Errorf("%s in %s|%s: %q, more %v, failed %d, want %q, %v, %d", tt.code, tt.system, tt.version, ids, r.More, r.Failed, tt.ids, tt.more, tt.failed)
		}
	}
}

func TestContainingErrors(t *testing.T) {
	e := zoo(t)
	for _, req := range []engine.ContainingRequest{{System: animals}, {Code: "cat"}} {
		if _, err := e.Containing(context.Background(), &req); !errors.Is(err, engine.ErrMissingParameter) {
			t.Errorf("%+v: %v, want ErrMissingParameter", req, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Containing(ctx, &engine.ContainingRequest{System: animals, Code: "cat", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v, want context.Canceled", err)
	}
}

func TestLanguagePacks(t *testing.T) {
	e := zoo(t)
	supplement := func(id, extension string) *engine.Entry {
		return engine.CodeSystemEntry(build(t, r4.CodeSystem{
			Header:  r4.Header{ID: id, URL: "http://example.org/" + id, Language: "de", Extension: json.RawMessage(extension)},
			Content: "supplement", Supplements: animals,
		}, c{code: "cat", display: "Katze"}), "test")
	}
	publish(t, e, supplement("notes", ""),
		supplement("german", `[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`))
	for _, tt := range []struct {
		system string
		packs  int
	}{{animals, 1}, {colors, 0}} {
		x, err := e.System(tt.system, "")
		if err != nil {
			t.Fatal(err)
		}
		packs, err := e.LanguagePacks(x)
		if err != nil || len(packs) != tt.packs || tt.packs > 0 && packs[0].URL() != "http://example.org/german" {
			t.Errorf("%s has %d packs, %v, want %d", tt.system, len(packs), err, tt.packs)
		}
	}
}
