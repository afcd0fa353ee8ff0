package conceptmap

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/sharedtest"
)

// gem reads one of the real maps.
func gem(t testing.TB, name string) *r4.ConceptMap {
	t.Helper()
	m, err := r4.DecodeConceptMap(sharedtest.Unzipped(t, sharedtest.Path(t, "data/icd-gem/"+name)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The two real maps translate both ways as walking them does.
func TestRealMaps(t *testing.T) {
	for _, c := range []struct {
		file             string
		sources, targets int
	}{
		{"ConceptMap-icd-10-cm-to-icd-9-cm.json.gz", 69832, 78838},
		{"ConceptMap-icd-9-cm-to-icd-10-cm.json.gz", 14567, 23912},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := gem(t, c.file)
			m := index(t, r)
			if m.Sources() != c.sources || m.Targets() != c.targets {
				t.Errorf("%d sources and %d targets, want %d and %d", m.Sources(), m.Targets(), c.sources, c.targets)
			}
			if cost := m.Cost(); cost > 16<<20 {
				t.Errorf("takes %d bytes", cost)
			}
			g := &r.Group[0]
			back := map[string][]string{}
			for i := range g.Element {
				e := &g.Element[i]
				want := []string{}
				for _, to := range e.Target {
					one := Match{Equivalence: Equivalence(to.Equivalence)}
					if to.Code != "" {
						one.Concept = r4.Coding{System: g.Target, Code: to.Code}
						from := Match{Equivalence: Equivalence(to.Equivalence).Inverse(), Concept: r4.Coding{System: g.Source, Code: e.Code}}
						back[to.Code] = append(back[to.Code], brief([]Match{from})...)
					}
					want = append(want, brief([]Match{one})...)
				}
				got, err := m.Translate(context.Background(), Request{System: g.Source, Code: e.Code, TargetSystem: g.Target}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, brief(got)); diff != "" {
					t.Fatalf("%s (-reference +index):\n%s", e.Code, diff)
				}
			}
			for code, want := range back {
				got, err := m.Translate(context.Background(), Request{System: g.Target, Code: code, Reverse: true}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, brief(got)); diff != "" {
					t.Fatalf("reverse %s (-reference +index):\n%s", code, diff)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	r := gem(b, "ConceptMap-icd-10-cm-to-icd-9-cm.json.gz")
	b.ReportAllocs()
	var cost int64
	for b.Loop() {
		cost = index(b, r).Cost()
	}
	b.ReportMetric(float64(cost), "bytes/map")
}

func BenchmarkTranslate(b *testing.B) {
	r := gem(b, "ConceptMap-icd-10-cm-to-icd-9-cm.json.gz")
	m := index(b, r)
	elements := r.Group[0].Element
	for _, reverse := range []bool{false, true} {
		name, codes := "forward", []string(nil)
		for i := range elements {
			switch {
			case !reverse:
				codes = append(codes, elements[i].Code)
			case len(elements[i].Target) > 0 && elements[i].Target[0].Code != "":
				name = "reverse"
				codes = append(codes, elements[i].Target[0].Code)
			}
		}
		slices.Sort(codes)
		codes = slices.Compact(codes) // some targets have thousands of sources
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 7919) % len(codes)
				_, _ = m.Translate(context.Background(), Request{Code: codes[i], Reverse: reverse}, nil)
			}
		})
	}
}
