package conceptmap

import (
	"context"
	"testing"

	"github.com/roget-health/roget/resources/r4"
)

// FuzzNew: whatever decodes either is refused with a place or translates its own
// codes both ways.
func FuzzNew(f *testing.F) {
	f.Add([]byte(`{"resourceType":"ConceptMap","status":"draft","group":[{"source":"s","target":"t","element":[{"code":"a","target":[{"code":"b","equivalence":"wider"}]}],"unmapped":{"mode":"fixed","code":"z"}}]}`))
	f.Add([]byte(`{"resourceType":"ConceptMap","url":"http://m","version":"1","group":[{"element":[{"target":[{"equivalence":"unmatched"}]},{"code":""}],"unmapped":{"mode":"other-map","url":"http://m"}}]}`))
	f.Add([]byte(`{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"a","equivalence":"equal","dependsOn":[{"property":"p","value":"v"}]}]},{"code":"a"}],"unmapped":{"mode":"provided"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := r4.DecodeConceptMap(data)
		if err != nil {
			return
		}
		m, err := New(r)
		if err != nil {
			return
		}
		self := maps{r.URL: m, m.Canonical(): m}
		for _, g := range r.Group {
			for _, e := range g.Element {
				got, _ := m.Translate(context.Background(), Request{System: g.Source, Version: g.SourceVersion, Code: e.Code}, self)
				if e.Code != "" && len(got) < len(e.Target) {
					t.Fatalf("%q: %d targets, %d matches", e.Code, len(e.Target), len(got))
				}
				for _, to := range e.Target {
					back, _ := m.Translate(context.Background(), Request{System: g.Target, Code: to.Code, Reverse: true}, self)
					if to.Code != "" && e.Code != "" && len(back) == 0 {
						t.Fatalf("%q is not found in reverse", to.Code)
					}
				}
			}
		}
		_, _ = m.Translate(context.Background(), Request{System: "x", Code: "no such code"}, self)
		if m.Cost() <= 0 || m.Sources() < 0 {
			t.Fatal("cost")
		}
	})
}
