package conceptmap

import (
	"context"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// naive translates by walking the resource.
func naive(r *r4.ConceptMap, q Request) []string {
	out := []string{}
	write := func(e Equivalence, system, code, mode string) {
		out = append(out, brief([]Match{{Equivalence: e, Concept: r4.Coding{System: system, Code: code}, Unmapped: mode}})...)
	}
	if q.Code == "" {
		return out
	}
	mapped := map[[2]string]bool{}
	for _, g := range r.Group {
		from, to := g.Source, g.Target
		if q.Reverse {
			from, to = to, from
		}
		if !sameOrAny(from, q.System) || !sameOrAny(to, q.TargetSystem) {
			continue
		}
		for _, e := range g.Element {
			for _, t := range e.Target {
				switch {
				case q.Reverse && t.Code == q.Code:
					write(Equivalence(t.Equivalence).Inverse(), g.Source, e.Code, "")
				case !q.Reverse && e.Code == q.Code:
					mapped[[2]string{g.Source, g.Target}] = true
					if t.Code == "" {
						write(Equivalence(t.Equivalence), "", "", "")
					} else {
						write(Equivalence(t.Equivalence), g.Target, t.Code, "")
					}
				}
			}
		}
	}
	for _, g := range r.Group {
		if q.Reverse || q.System == "" || g.Unmapped == nil || mapped[[2]string{g.Source, g.Target}] ||
			!sameOrAny(g.Source, q.System) || !sameOrAny(g.Target, q.TargetSystem) {
			continue
		}
		code := g.Unmapped.Code
		if g.Unmapped.Mode == modeProvided {
			code = q.Code
		}
		write(RelatedTo, g.Target, code, g.Unmapped.Mode)
	}
	return out
}

func drawMap(t *rapid.T) *r4.ConceptMap {
	r := &r4.ConceptMap{Header: r4.Header{URL: "http://map"}}
	code := rapid.Custom(func(t *rapid.T) string { return "c" + strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "n")) })
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		g := r4.ConceptMapGroup{
			Source: rapid.SampledFrom([]string{"http://s", "http://s2", ""}).Draw(t, "source"),
			Target: rapid.SampledFrom([]string{"http://t", "http://t2"}).Draw(t, "target"),
		}
		for range rapid.IntRange(0, 6).Draw(t, "elements") {
			e := r4.ConceptMapElement{Code: code.Draw(t, "code")}
			for range rapid.IntRange(0, 3).Draw(t, "targets") {
				one := r4.ConceptMapTarget{Code: code.Draw(t, "to"), Equivalence: string(rapid.SampledFrom(allEquivalences()).Draw(t, "equivalence"))}
				if one.Equivalence == "unmatched" {
					one.Code = ""
				}
				e.Target = append(e.Target, one)
			}
			g.Element = append(g.Element, e)
		}
		switch rapid.IntRange(0, 2).Draw(t, "unmapped") {
		case 1:
			g.Unmapped = &r4.ConceptMapUnmapped{Mode: modeFixed, Code: "fix"}
		case 2:
			g.Unmapped = &r4.ConceptMapUnmapped{Mode: modeProvided}
		}
		r.Group = append(r.Group, g)
	}
	return r
}

func allEquivalences() []Equivalence { all := equivalences(); return all[:] }

func TestParityWithNaiveReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawMap(rt)
		m := index(t, r)
		for _, reverse := range []bool{false, true} {
			for _, system := range []string{"", "http://s", "http://t"} {
				for _, target := range []string{"", "http://t", "http://s2"} {
					for n := range 11 {
						q := Request{System: system, Code: "c" + strconv.Itoa(n), TargetSystem: target, Reverse: reverse}
						got, err := m.Translate(context.Background(), q, nil)
						if err != nil {
							rt.Fatal(err)
						}
						if diff := cmp.Diff(naive(r, q), brief(got)); diff != "" {
							rt.Fatalf("%+v (-reference +index):\n%s", q, diff)
						}
					}
				}
			}
		}
	})
}

// Law: a mapping found forward is found in reverse with the inverse equivalence.
func TestReverseIsTheInverse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawMap(rt)
		m := index(t, r)
		for n := range 10 {
			code := "c" + strconv.Itoa(n)
			forward, _ := m.Translate(context.Background(), Request{Code: code}, nil)
			for _, f := range forward {
				if f.Concept.Code == "" {
					continue
				}
				back, _ := m.Translate(context.Background(), Request{System: f.Concept.System, Code: f.Concept.Code, Reverse: true}, nil)
				found := false
				for _, b := range back {
					found = found || b.Concept == f.Source && b.Source == f.Concept && b.Equivalence == f.Equivalence.Inverse()
				}
				if !found {
					rt.Fatalf("%+v is not found in reverse", f)
				}
			}
		}
	})
}
