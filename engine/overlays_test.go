package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/roget-health/roget/engine"
)

// bird is a code system document of one code.
func bird(code string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"resourceType":"CodeSystem","url":"http://example.org/%s","status":"active","content":"complete","concept":[{"code":%q,"display":"A %s"}]}`, code, code, code))
}

// knows reports that an engine answers for a bird.
func knows(e *engine.Engine, code string) bool {
	r, err := e.Lookup(context.Background(), &engine.LookupRequest{System: "http://example.org/" + code, Code: code})
	return err == nil && r.Display == "A "+code
}

func overlay(t testing.TB, o *engine.Overlays, documents ...json.RawMessage) *engine.Engine {
	t.Helper()
	e, err := o.For("tx-resource", documents)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestOverlays(t *testing.T) {
	base := zoo(t)
	o := engine.NewOverlays(base, engine.OverlayLimits{})
	if overlay(t, o) != base {
		t.Error("nothing brought along is the base itself")
	}
	wren := overlay(t, o, bird("wren"))
	if !knows(wren, "wren") || knows(base, "wren") {
		t.Error("what is brought along is for the request only")
	}
	if overlay(t, o, bird("wren")) != wren || overlay(t, o, bird("rook")) == wren {
		t.Error("the same is made once, and another is another")
	}
	publish(t, base, engine.ValueSetEntry(decodeValueSet(`{"id":"new","url":"http://example.org/vs/new","status":"active","compose":{"include":[{"system":"http://example.org/wren"}]}}`), "test"))
	again := overlay(t, o, bird("wren"))
	if x, err := again.Expand(context.Background(), &engine.ExpandRequest{URL: "http://example.org/vs/new"}); err != nil || x.Total != 1 {
		t.Error("what was published since is seen:", err)
	}
}

// TestOverlaysAtOnce has many requests ask for few overlays while something is published.
func TestOverlaysAtOnce(t *testing.T) {
	base := zoo(t)
	o := engine.NewOverlays(base, engine.OverlayLimits{})
	shared, err := o.StartCache("", "tx-resource", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := range 50 {
				code := fmt.Sprintf("bird%d", (i+n)%3)
				e, err := o.For("tx-resource", []json.RawMessage{bird(code)})
				if n%2 == 0 {
					e, err = o.Cached(engine.CacheKey{ID: shared}, "tx-resource", []json.RawMessage{bird(code)}, nil)
				}
				if err != nil || !knows(e, code) {
					t.Error(code, err)
					return
				}
				if i == 0 && n%10 == 0 {
					publish(t, base, engine.ValueSetEntry(decodeValueSet(`{"id":"new","url":"http://example.org/vs/new","status":"active"}`), "test"))
				}
			}
		}()
	}
	wg.Wait()
}

// FuzzOverlays brings any two documents along: they are refused or understood, never a panic.
func FuzzOverlays(f *testing.F) {
	with := `{"resourceType":"CodeSystem","url":"http://example.org/more","content":"supplement","supplements":"http://example.org/wren","concept":[{"code":"wren","designation":[{"language":"de","value":"Z"}]}]}`
	ofWren := `{"resourceType":"ValueSet","url":"http://example.org/vs","compose":{"include":[{"system":"http://example.org/wren","version":"1.x"}]}}`
	f.Add([]byte(bird("wren")), []byte(ofWren))
	f.Add([]byte(bird("wren")), []byte(with))
	f.Add([]byte(ofWren), []byte(`{"resourceType":"ValueSet","url":"http://example.org/vs2","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/valueset-supplement","valueCanonical":"http://example.org/more"}],"compose":{"exclude":[{"valueSet":["http://example.org/vs"]}],"include":[{"filter":[{"property":"concept","op":"is-a","value":"a"}],"system":"s"}]}}`))
	f.Add([]byte(`{"url":"x","resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"relationship":"equivalent"}]}]}]}`), []byte(`{"resourceType":7}`))
	o := engine.NewOverlays(engine.New(), engine.OverlayLimits{CacheBytes: 1})
	ctx := context.Background()
	f.Fuzz(func(_ *testing.T, a, b []byte) {
		e, err := o.For("tx-resource", []json.RawMessage{a, b})
		if err != nil {
			return
		}
		nested, designations := false, true
		for _, typ := range []string{"CodeSystem", "ValueSet", "ConceptMap"} {
			for _, entry := range e.Entries(typ) {
				url := entry.Header.URL
				_, _ = e.Lookup(ctx, &engine.LookupRequest{System: url, Code: "a", DisplayLanguage: "de"})
				_, _ = e.Expand(ctx, &engine.ExpandRequest{URL: url, ExcludeNested: &nested, IncludeDesignations: &designations, Properties: []string{"definition"}})
				_, _ = e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: url, Code: "wren", InferSystem: true, Display: "x"})
				_, _ = e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: url, Code: "wren", Display: "x"})
				_, _ = e.Compare(ctx, &engine.CompareRequest{ThisURL: url, OtherURL: "http://example.org/vs", Diagnostics: true})
				_, _ = e.Translate(ctx, &engine.TranslateRequest{URL: url, Code: "a", System: "s"})
			}
		}
	})
}
