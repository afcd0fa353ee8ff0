package valueset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

type nestedEntry struct {
	Code  string
	Depth int
}

func nestedOf(t testing.TB, s *Set, r PageRequest) []nestedEntry {
	t.Helper()
	var out []nestedEntry
	r.Nested = true
	if _, err := s.Page(context.Background(), r, func(e *Entry) error {
		out = append(out, nestedEntry{e.Code, e.Depth})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNestedListing(t *testing.T) {
	z := zoo(t)
	w := &world{systems: []*system{z}}
	for _, c := range []struct {
		name    string
		include r4.Include
		want    []nestedEntry
	}{
		{
			"a whole system",
			r4.Include{System: z.url},
			[]nestedEntry{{"animal", 0}, {"mammal", 1}, {"cat", 2}, {"dog", 2}, {"bat", 2}, {"bird", 1}, {"dodo", 2}, {"flier", 0}},
		},
		{
			"below one concept",
			r4.Include{System: z.url, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: "mammal"}}},
			[]nestedEntry{{"mammal", 0}, {"cat", 1}, {"dog", 1}, {"bat", 1}},
		},
		{
			"below the second parent",
			r4.Include{System: z.url, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: "flier"}}},
			[]nestedEntry{{"flier", 0}, {"bat", 1}},
		},
		{
			"below the nearest ancestor there is",
			r4.Include{System: z.url, Filter: []r4.Filter{{Property: "code", Op: "regex", Value: "animal|cat|dodo"}}},
			[]nestedEntry{{"animal", 0}, {"cat", 1}, {"dodo", 1}},
		},
		{
			"a concept list keeps its order",
			r4.Include{System: z.url, Concept: refs("cat", "animal")},
			[]nestedEntry{{"cat", 0}, {"animal", 0}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := Compile(context.Background(), w, valueSet("", r4.Compose{Include: []r4.Include{c.include}}), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, nestedOf(t, set, PageRequest{Count: -1})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want[1:2], nestedOf(t, set, PageRequest{Offset: 1, Count: 1})); diff != "" {
				t.Errorf("second entry (-want +got):\n%s", diff)
			}
		})
	}
	s := (&system{url: "http://s", concepts: []concept{{code: "a", display: "Large red thing"}, {code: "b", display: "Red", parents: []string{"a"}}}}).build(t)
	w.systems = append(w.systems, s)
	for include, want := range map[*r4.Include][]nestedEntry{
		{System: s.url}: {{"b", 0}, {"a", 0}},
		{System: s.url, Filter: isA(s.url, "a").Filter}: {{"a", 0}, {"b", 1}},
	} {
		set, r := compile(t, w, valueSet("", includes(*include))), PageRequest{Query: codesystem.CompileQuery("red"), Count: -1, Nested: true}
		if diff := cmp.Diff(want, nestedOf(t, set, r)); diff != "" {
			t.Errorf("search in %v (-want +got):\n%s", include, diff)
		}
		if _, err := set.Page(contexttest.After(t.Context(), 1), r, func(*Entry) error { return nil }); len(include.Filter) > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("stopped search in %v: %v", include, err)
		}
	}
}

// Laws of nesting: a concept is listed below an ancestor, below a direct parent if one is a
// member, and at the top only if no ancestor is a member.
func TestNestingLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSystem(rt, t, "http://a", "")
		keep := []string{}
		for _, c := range s.concepts {
			if rapid.IntRange(0, 4).Draw(rt, "keep") > 0 {
				keep = append(keep, c.code)
			}
		}
		set := &Set{}
		p := conceptList{index: s.index}
		for _, code := range keep {
			o, _ := s.index.Find(code)
			p.add(o, label{})
		}
		if !p.empty() {
			var a algebra
			one := p.part()
			one.list = nil
			a.add(one)
			set = a.build(provenance{})
		}
		var stack []string
		for _, e := range nestedOf(t, set, PageRequest{Count: -1}) {
			if e.Depth > len(stack) {
				rt.Fatalf("%s is nested %d deep below %v", e.Code, e.Depth, stack)
			}
			stack = stack[:e.Depth]
			above := s.ancestors(e.Code)
			parents := s.find(e.Code).parents
			hasParent := slices.ContainsFunc(parents, func(p string) bool { return slices.Contains(keep, p) })
			hasAncestor := slices.ContainsFunc(keep, func(k string) bool { return above[k] })
			switch {
			case e.Depth == 0 && hasAncestor:
				rt.Fatalf("%s is at the top", e.Code)
			case e.Depth == 0:
			case !above[stack[e.Depth-1]]:
				rt.Fatalf("%s is below %s, no ancestor", e.Code, stack[e.Depth-1])
			case hasParent && !slices.Contains(parents, stack[e.Depth-1]):
				rt.Fatalf("%s is below %s though a parent is there", e.Code, stack[e.Depth-1])
			}
			stack = append(stack, e.Code)
		}
		// The whole system takes a shorter way to the same result.
		all := AllCodes(s.index)
		f, err := plantForest(t.Context(), s.index, s.index.All(), s.index.Len())
		if err != nil {
			rt.Fatal(err)
		}
		var planted []nestedEntry
		_ = f.walk(0, s.index.Len(), func(rank, depth int) error {
			planted = append(planted, nestedEntry{s.index.Code(codesystem.Ord(rank)), depth})
			return nil
		})
		if diff := cmp.Diff(planted, nestedOf(t, all, PageRequest{Count: -1})); diff != "" {
			rt.Fatalf("whole system (-forest +listing):\n%s", diff)
		}
		// Of any concepts, one whose interval has the concept is closest, then the last before it, then the first after it.
		chosen := rapid.Uint64().Draw(rt, "candidates")
		for o := range codesystem.Ord(s.index.Len()) {
			var candidates []codesystem.Ord
			for p := range codesystem.Ord(s.index.Len()) {
				if p != o && chosen>>((p+3*o)%64)&1 == 1 {
					candidates = append(candidates, p)
				}
			}
			if o%2 == 1 {
				slices.Reverse(candidates)
			}
			far := func(p codesystem.Ord) int {
				switch end, _ := s.index.Interval(p); {
				case p < o && o < end:
					return int(o - p)
				case p < o:
					return 1000 + int(o-p)
				}
				return 2000 + int(p-o)
			}
			best, ok := closest(s.index, nil, candidates, o)
			if ok != (len(candidates) > 0) || ok && best != slices.MinFunc(candidates, func(a, b codesystem.Ord) int { return far(a) - far(b) }) {
				rt.Fatalf("of %v %d is closest to %d: %v", candidates, best, o, ok)
			}
		}
	})
}

// TestInferOften: the first calls of Infer, which read all codes, and later ones, which use an index,
// return the same entries in the same order.
func TestInferOften(t *testing.T) {
	var compose r4.Compose
	for s := range 4 {
		inc := r4.Include{System: fmt.Sprint("http://none/", s), Version: fmt.Sprint(s % 2)}
		for i := range 50 {
			inc.Concept = append(inc.Concept, r4.ConceptReference{Code: fmt.Sprint(i * (s + 1)), Display: fmt.Sprint(s, " ", i)})
		}
		compose.Include = append(compose.Include, inc)
	}
	compose.Include = append(compose.Include, r4.Include{System: "http://none/0", Version: "9", Concept: refs("0", "12")})
	set := compile(t, &world{}, valueSet("", compose))
	var want [][]Entry
	for call := range 2 * fewInfers {
		for i, code := range []string{"0", "12", "49", "98", "147", "x", ""} {
			again := compile(t, &world{}, valueSet("", compose)).Infer(code)
			if call == 0 {
				want = append(want, again)
			}
			if diff := cmp.Diff(want[i], set.Infer(code), cmpopts.IgnoreUnexported(Entry{})); diff != "" {
				t.Errorf("call %d, code %q (-want +got):\n%s", call, code, diff)
			}
		}
	}
	if len(want[0]) != 5 || len(want[1]) != 5 || len(want[5]) != 0 {
		t.Errorf("%d, %d and %d entries", len(want[0]), len(want[1]), len(want[5]))
	}
}

// Work on many codes that produces no entry yet also stops when the context ends.
func TestLongWorkHearsTheContext(t *testing.T) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://x"}})
	for i := range 4 * checkEvery {
		if _, err := b.Add(&codesystem.Concept{Code: fmt.Sprint(i), Parent: min(i-1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plantForest(contexttest.After(t.Context(), 2), x, x.All(), x.Len()); !errors.Is(err, context.Canceled) {
		t.Errorf("nested listing: %v, want %v", err, context.Canceled)
	}
	stored := make([]r4.ExpansionContains, 4*checkEvery)
	for i := range stored {
		stored[i] = r4.ExpansionContains{System: "http://x", Code: fmt.Sprint(i)}
	}
	vs := &r4.ValueSet{Expansion: &r4.Expansion{Contains: stored}}
	if _, err := Compile(contexttest.After(t.Context(), 2), absent{}, vs, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stored expansion: %v, want %v", err, context.Canceled)
	}
	if set, err := Compile(t.Context(), absent{}, vs, nil); err != nil || set.Len() != len(stored) {
		t.Errorf("stored expansion: %v", err)
	}
	all := r4.Include{System: "http://x"}
	list, first := r4.Include{System: "http://x", Concept: refs("1", "2")}, r4.Include{System: "http://x", Filter: isA("http://x", "0").Filter}
	w := &world{systems: []*system{{url: "http://x", index: x}}}
	w.valueSets = []*r4.ValueSet{valueSet("http://v", includes(list))}
	vs = valueSet("", r4.Compose{Include: []r4.Include{all, list, {ValueSet: []string{"http://v"}}}, Exclude: []r4.Include{list, {ValueSet: []string{"http://v"}}, first}})
	for looks, seen := 0, true; seen; looks++ {
		ctx := contexttest.After(t.Context(), looks)
		_, err := Compile(ctx, w, vs, nil)
		if seen = ctx.Seen(); seen != errors.Is(err, context.Canceled) {
			t.Errorf("stopped at look %d: %v", looks, err)
		}
	}
}

// absent is an empty Source.
type absent struct{}

func (absent) CodeSystem(context.Context, string, string) (*codesystem.Index, error) {
	return nil, ErrUnknownSystem
}

func (absent) ValueSet(context.Context, string, []string) (*Set, error) {
	return nil, ErrUnknownValueSet
}
