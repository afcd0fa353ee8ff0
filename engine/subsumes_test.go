package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

func TestSubsumes(t *testing.T) {
	e := zoo(t)
	places := build(t, r4.CodeSystem{Header: r4.Header{ID: "places", URL: "http://example.org/places"}, HierarchyMeaning: "part-of"},
		c{code: "country"}, c{code: "district", parents: parents("country")})
	publish(t, e, engine.CodeSystemEntry(places, "test"), engine.CodeSystemEntry(animalSystem(t, "0.9"), "test"))
	for _, tt := range []struct {
		req  engine.SubsumesRequest
		want engine.Subsumption
	}{
		{engine.SubsumesRequest{System: animals, CodeA: "mammal", CodeB: "cat"}, engine.Subsuming},
		{engine.SubsumesRequest{System: animals, CodeA: "animal", CodeB: "CAT"}, engine.Subsuming},
		{engine.SubsumesRequest{System: animals, CodeA: "cat", CodeB: "pet"}, engine.SubsumedBy},
		{engine.SubsumesRequest{System: animals, CodeA: "dodo", CodeB: "animal"}, engine.SubsumedBy},
		{engine.SubsumesRequest{System: animals, CodeA: "Cat", CodeB: "cat"}, engine.Equivalent},
		{engine.SubsumesRequest{System: animals, CodeA: "cat", CodeB: "dog"}, engine.NotSubsumed},
		{engine.SubsumesRequest{System: animals, Version: "0.9", CodeA: "mammal", CodeB: "cat"}, engine.Subsuming},
		{engine.SubsumesRequest{System: animals, Version: "0.x", CodeA: "mammal", CodeB: "cat"}, engine.Subsuming},
		{engine.SubsumesRequest{ID: "animals-0.9", CodeA: "mammal", CodeB: "cat"}, engine.Subsuming},
		{engine.SubsumesRequest{CodingA: &r4.Coding{System: animals, Code: "cat"}, CodingB: &r4.Coding{System: animals, Version: "1.0.0", Code: "mammal"}}, engine.SubsumedBy},
		{engine.SubsumesRequest{System: animals, CodeA: "cat", CodingB: &r4.Coding{Code: "mammal"}}, engine.SubsumedBy},
		{engine.SubsumesRequest{System: "http://example.org/places", CodeA: "country", CodeB: "district"}, engine.NotSubsumed},
		{engine.SubsumesRequest{System: "http://example.org/places", CodeA: "country", CodeB: "country"}, engine.Equivalent},
	} {
		r, err := e.Subsumes(context.Background(), &tt.req)
		if err != nil {
			t.Errorf("%+v: %v", tt.req, err)
			continue
		}
		want := fmt.Sprintf(`{"resourceType":"Parameters","parameter":[{"name":"outcome","valueCode":"%s"}]}`, tt.want)
		if got := string(r.AppendJSON(nil)); got != want || r.Yes() != (tt.want != engine.NotSubsumed) || r.Table().Title != string(tt.want) {
			t.Errorf("%+v: %s, %v", tt.req, got, r.Yes())
		}
	}
}

func TestSubsumesErrors(t *testing.T) {
	e := zoo(t)
	for _, tt := range []struct {
		req  engine.SubsumesRequest
		want error
	}{
		{engine.SubsumesRequest{System: animals, CodeA: "unicorn", CodeB: "unicorn"}, engine.ErrUnknownCode},
		{engine.SubsumesRequest{System: animals, CodeA: "cat", CodeB: "unicorn"}, engine.ErrUnknownCode},
		{engine.SubsumesRequest{System: animals, CodeA: "cat"}, engine.ErrMissingParameter},
		{engine.SubsumesRequest{System: animals, CodeB: "cat"}, engine.ErrMissingParameter},
		{engine.SubsumesRequest{CodeA: "cat", CodeB: "cat"}, engine.ErrMissingParameter},
		{engine.SubsumesRequest{System: "http://nowhere", CodeA: "cat", CodeB: "cat"}, engine.ErrUnknownSystem},
		{engine.SubsumesRequest{System: animals, Version: "7", CodeA: "cat", CodeB: "cat"}, engine.ErrUnknownVersion},
		{engine.SubsumesRequest{ID: "x", CodeA: "cat", CodeB: "cat"}, engine.ErrUnknownID},
		{engine.SubsumesRequest{CodingA: &r4.Coding{System: animals, Code: "cat"}, CodingB: &r4.Coding{System: colors, Code: "red"}}, engine.ErrSystemsDiffer},
		{engine.SubsumesRequest{CodingA: &r4.Coding{System: animals, Version: "1.0.0", Code: "cat"}, CodingB: &r4.Coding{System: animals, Version: "2", Code: "dog"}}, engine.ErrSystemsDiffer},
		{engine.SubsumesRequest{CodingA: &r4.Coding{System: animals}, CodeB: "cat"}, engine.ErrMissingParameter},
		{engine.SubsumesRequest{System: animals, CodeA: "dog", CodingA: &r4.Coding{Code: "cat"}, CodeB: "cat"}, engine.ErrInvalidParameter},
	} {
		if _, err := e.Subsumes(context.Background(), &tt.req); !errors.Is(err, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.req, err, tt.want)
		}
	}
}

// TestSubsumesParity compares with a walk over the parents, on random graphs.
func TestSubsumesParity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt)
		e := engine.New()
		publish(t, e, engine.CodeSystemEntry(g.build(t), "test"))
		for a := range g {
			for b := range g {
				want := engine.NotSubsumed
				switch {
				case a == b:
					want = engine.Equivalent
				case g.above(a, b):
					want = engine.Subsuming
				case g.above(b, a):
					want = engine.SubsumedBy
				}
				r, err := e.Subsumes(context.Background(), &engine.SubsumesRequest{System: animals, CodeA: name(a), CodeB: name(b)})
				if err != nil || r.Outcome != want {
					rt.Fatalf("%s and %s: %v, %v, want %v", name(a), name(b), r.Outcome, err, want)
				}
			}
		}
	})
}

// graph has the parents of each concept, all with lower numbers.
type graph [][]int

func drawGraph(rt *rapid.T) graph {
	g := make(graph, rapid.IntRange(1, 12).Draw(rt, "concepts"))
	for i := range g {
		if i > 0 {
			g[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 3), rapid.ID[int]).Draw(rt, "parents")
		}
	}
	return g
}

func name(i int) string { return fmt.Sprintf("c%d", i) }

func (g graph) above(a, b int) bool {
	for _, p := range g[b] {
		if p == a || g.above(a, p) {
			return true
		}
	}
	return false
}

func (g graph) build(t testing.TB) *codesystem.Index {
	concepts := make([]c, len(g))
	for i := range g {
		concepts[i] = c{code: name(i), display: "Concept " + name(i)}
		for _, p := range g[i] {
			concepts[i].parents = append(concepts[i].parents, name(p))
		}
	}
	return build(t, r4.CodeSystem{Header: r4.Header{ID: "random", URL: animals, Version: "1"}}, concepts...)
}
