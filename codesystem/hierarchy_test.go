package codesystem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

func build(t interface{ Fatalf(string, ...any) }, b *Builder, err error) *Index {
	if err != nil {
		t.Fatalf("add: %v", err)
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return x
}

// Every shape obeys the laws of a hierarchy and agrees with the naive reference.
func TestHierarchyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes().Draw(t, "hierarchy")
		b, err := s.builder()
		x := build(t, b, err)
		checkHierarchy(t, s, x)
		again, err := FromBytes(slices.Clone(x.Bytes()), true)
		if err != nil {
			t.Fatalf("reopen: %v", err)
		}
		checkHierarchy(t, s, again)
		// The same hierarchy without its closure must answer the same.
		if x.info.storage == storageClosure {
			checkHierarchy(t, s, withoutClosure(t, s))
		}
	})
}

func checkHierarchy(t *rapid.T, s shape, x *Index) {
	if x.Len() != len(s.parents) {
		t.Fatalf("%d concepts, want %d", x.Len(), len(s.parents))
	}
	ord := make([]Ord, x.Len())
	for i := range ord {
		o, ok := x.Find(s.code(i))
		if !ok || x.Code(o) != s.code(i) {
			t.Fatalf("Find(%q) = %d, %v", s.code(i), o, ok)
		}
		ord[i] = o
	}
	pairs, children := 0, make([]map[Ord]bool, x.Len())
	for i := range children {
		children[i] = map[Ord]bool{}
	}
	reference := s.ancestors()
	for i, above := range reference {
		pairs += len(above)
		want := []Ord{}
		for a := range above {
			want = append(want, ord[a])
		}
		slices.Sort(want)
		if got := x.Ancestors(ord[i]); !slices.Equal(got, want) {
			t.Fatalf("ancestors of %d: %v, want %v", i, got, want)
		}
		for j := range reference {
			if got := x.IsAncestor(ord[j], ord[i]); got != above[j] {
				t.Fatalf("IsAncestor(%d, %d) = %v", j, i, got)
			}
			if x.Descendants(ord[j]).Contains(ord[i]) != above[j] {
				t.Fatalf("Descendants(%d) and %d", j, i)
			}
		}
		parents := map[Ord]bool{}
		for _, p := range s.parents[i] {
			parents[ord[p]] = true
			children[p][ord[i]] = true
		}
		if got := x.Parents(ord[i]); !slices.Equal(got, slices.Sorted(maps.Keys(parents))) {
			t.Fatalf("parents of %d: %v", i, got)
		}
		if x.Root(ord[i]) != (len(parents) == 0) || x.Roots().Contains(ord[i]) != x.Root(ord[i]) {
			t.Fatalf("root %d", i)
		}
	}
	for i := range children {
		if got := x.Children(ord[i]); !slices.Equal(got, slices.Sorted(maps.Keys(children[i]))) {
			t.Fatalf("children of %d: %v", i, got)
		}
		if x.Leaf(ord[i]) != (len(children[i]) == 0) || x.Leaves().Contains(ord[i]) != x.Leaf(ord[i]) {
			t.Fatalf("leaf %d", i)
		}
		if end, all := x.Interval(ord[i]); all && x.Descendants(ord[i]).GetCardinality() != uint64(end-ord[i]-1) {
			t.Fatalf("interval of %d", i)
		}
	}
	if got := x.Stats().ClosurePairs; got != pairs {
		t.Fatalf("%d closure pairs, want %d", got, pairs)
	}
}

// withoutClosure builds a shape as if its closure were too large.
func withoutClosure(t *rapid.T, s shape) *Index {
	b, err := s.builder()
	if err != nil {
		t.Fatalf("add: %v", err)
	}
	b.closureBudget = -1
	x := build(t, b, nil)
	if x.info.storage != storageSearch {
		t.Fatalf("storage %d", x.info.storage)
	}
	return x
}

// The order of a flat system, and of children, is the order of the source.
func TestSourceOrder(t *testing.T) {
	b := NewBuilder(header("http://example.org/order"))
	for _, c := range []Concept{
		{Code: "z", Parent: -1},
		{Code: "z2", Parent: 0},
		{Code: "z1", Parent: 0},
		{Code: "a", Parent: -1},
		{Code: "z2a", Parent: 1},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	var got []string
	for _, code := range x.Codes() {
		got = append(got, code)
	}
	if want := []string{"z", "z2", "z2a", "z1", "a"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestCycleNamesItsPath(t *testing.T) {
	for _, test := range []struct {
		parents [][]int
		want    string
	}{
		{[][]int{{0}}, "line 1: cycle in hierarchy: c0 → c0"},
		{[][]int{{1}, {2}, {0}}, "line 1: cycle in hierarchy: c0 → c1 → c2 → c0"},
		{[][]int{{}, {0, 3}, {1}, {2}, {3}}, "line 2: cycle in hierarchy: c1 → c3 → c2 → c1"},
		// The first concept left over is below the cycle, not on it.
		{[][]int{{1}, {2}, {1}}, "line 2: cycle in hierarchy: c1 → c2 → c1"},
	} {
		b, err := shape{name: "cycle", parents: test.parents}.builder()
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Build(context.Background())
		if !errors.Is(err, ErrCycle) || err.Error() != test.want {
			t.Errorf("%v: %v, want %s", test.parents, err, test.want)
		}
	}
}

func TestLongCycleIsCutShort(t *testing.T) {
	s := shape{parents: make([][]int, 100_000)}
	for i := range s.parents {
		s.parents[i] = []int{(i + 1) % len(s.parents)}
	}
	b, err := s.builder()
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Build(context.Background())
	if !errors.Is(err, ErrCycle) || len(err.Error()) > 400 || !strings.Contains(err.Error(), "… 99980 more …") {
		t.Errorf("%.500v", err)
	}
}

// Deep hierarchies neither recurse nor store a closure that grows with the square.
func TestDeepHierarchies(t *testing.T) {
	const n = 100_000
	chain := shape{parents: make([][]int, n)}
	for i := 1; i < n; i++ {
		chain.parents[i] = []int{i - 1}
	}
	b, err := chain.builder()
	x := build(t, b, err)
	if s := x.Stats(); s.MaxDepth != n-1 || s.ClosurePairs != n*(n-1)/2 || s.MaxAncestors != n-1 {
		t.Errorf("chain: %+v", s)
	}
	if len(x.Bytes()) > 200*n {
		t.Errorf("chain of %d concepts takes %d bytes", n, len(x.Bytes()))
	}
	last := Ord(n - 1)
	if !x.IsAncestor(0, last) || x.IsAncestor(last, 0) || len(x.Ancestors(last)) != n-1 || x.Descendants(0).GetCardinality() != n-1 {
		t.Error("chain: ancestors")
	}
}

// A ladder of diamonds has a closure of half the square of its size.
func TestLadderOfDiamonds(t *testing.T) {
	const steps = 2_000
	ladder := shape{parents: [][]int{{}}}
	for i := range steps {
		top := 3 * i
		ladder.parents = append(ladder.parents, []int{top}, []int{top}, []int{top + 1, top + 2})
	}
	b, err := ladder.builder()
	x := build(t, b, err)
	if x.info.storage != storageSearch {
		t.Fatalf("storage %d", x.info.storage)
	}
	pairs := 0
	for i := range steps {
		// Two sides below 3i+1 concepts each, the next top below 3i+3.
		pairs += 2*(3*i+1) + 3*i + 3
	}
	if s := x.Stats(); s.ClosurePairs != pairs || s.MaxAncestors != 3*steps || s.MaxDepth != 2*steps {
		t.Errorf("%+v, want %d pairs", s, pairs)
	}
	top, _ := x.Find("c0")
	right, _ := x.Find("c2")
	left, _ := x.Find("c1")
	bottom, _ := x.Find(fmt.Sprint("c", 3*steps))
	if !x.IsAncestor(right, bottom) || !x.IsAncestor(left, bottom) || x.IsAncestor(right, left) || x.IsAncestor(bottom, right) {
		t.Error("IsAncestor")
	}
	if got := len(x.Ancestors(bottom)); got != 3*steps {
		t.Errorf("%d ancestors", got)
	}
	for _, o := range []Ord{top, right} {
		want := uint64(3 * steps)
		if o == right {
			want -= 2
		}
		if got := x.Descendants(o).GetCardinality(); got != want {
			t.Errorf("%d descendants of %s, want %d", got, x.Code(o), want)
		}
	}
}

func TestParentsFromEverywhere(t *testing.T) {
	h := header("http://example.org/s")
	h.Property = []r4.CodeSystemProperty{
		{Code: "isA", URI: conceptProperties + "parent", Type: "code"},
		{Code: "child", URI: conceptProperties + "child", Type: "code"},
	}
	code := func(p, v string) Property { return Property{Code: p, Value: r4.Code(v)} }
	b := NewBuilder(h)
	for _, c := range []Concept{
		{Code: "root", Parent: -1, Properties: []Property{code("child", "byChild")}},
		{Code: "nested", Parent: 0, Properties: []Property{code("parent", "root"), code("parent", "other")}},
		{Code: "byChild", Parent: -1},
		{Code: "byURI", Parent: -1, Properties: []Property{code("isA", "root")}},
		{Code: "bySubsumed", Parent: -1, Properties: []Property{code("subsumedBy", "root"), code("partOf", "other")}},
		{Code: "byCoding", Parent: -1, Properties: []Property{
			{Code: "parent", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: h.URL, Code: "root"}}},
			{Code: "parent", Value: r4.Value{Type: "Coding", Coding: &r4.Coding{System: "http://elsewhere", Code: "x"}}},
		}},
		{Code: "other", Parent: -1},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	for code, want := range map[string]string{
		"root": "", "nested": "root other", "byChild": "root", "byURI": "root", "bySubsumed": "root", "byCoding": "root", "other": "",
	} {
		o, _ := x.Find(code)
		var got []string
		for _, p := range x.Parents(o) {
			got = append(got, x.Code(p))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("parents of %s: %v, want %s", code, got, want)
		}
	}
}

func TestUnknownParents(t *testing.T) {
	add := func(content string) error {
		h := header("http://example.org/s")
		h.Content = content
		b := NewBuilder(h)
		for i, p := range []Property{{Code: "parent", Value: r4.Code("nowhere")}, {Code: "child", Value: r4.Code("gone")}, {Code: "parent", Value: r4.Code("A")}} {
			c := Concept{Code: string(rune('A' + i)), Properties: []Property{p}, Parent: -1, Where: fmt.Sprint("line ", i+1)}
			if _, err := b.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.Build(context.Background())
		return err
	}
	err := add("complete")
	want := `line 1: concept "A": unknown parent: its parent "nowhere" is not in the code system (and 1 more)`
	if !errors.Is(err, ErrUnknownParent) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	for _, part := range []string{"fragment", "example", "supplement"} {
		if err := add(part); err != nil {
			t.Errorf("%s: %v", part, err)
		}
	}
}
