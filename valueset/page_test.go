package valueset

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// flat is a system of n codes "0", "1", … without hierarchy.
func flat(t testing.TB, n int) *system {
	s := &system{url: "http://flat"}
	for i := range n {
		s.concepts = append(s.concepts, concept{code: strconv.Itoa(i), display: "Number " + strconv.Itoa(i)})
	}
	return s.build(t)
}

func TestPageBounds(t *testing.T) {
	set := AllCodes(flat(t, 5).index)
	q := codesystem.CompileQuery("number")
	for _, c := range []struct {
		r    PageRequest
		want []string
	}{
		{PageRequest{Count: 2}, []string{"0", "1"}},
		{PageRequest{Offset: 3, Count: 10}, []string{"3", "4"}},
		{PageRequest{Offset: 5, Count: 10}, nil},
		{PageRequest{Offset: 50, Count: -1}, nil},
		{PageRequest{Offset: -7, Count: 1}, []string{"0"}},
		{PageRequest{Offset: 4, Count: math.MaxInt}, []string{"4"}},
		{PageRequest{Offset: math.MaxInt, Count: math.MaxInt}, nil},
		{PageRequest{Count: 0}, nil},
		{PageRequest{Nested: true, Offset: 1, Count: 1}, []string{"1"}},
	} {
		for _, query := range []*codesystem.Query{nil, codesystem.CompileQuery(" "), q} {
			c.r.Query = query
			var got []string
			total, err := set.Page(context.Background(), c.r, func(e *Entry) error {
				got = append(got, e.Code)
				return nil
			})
			if diff := cmp.Diff(c.want, got); diff != "" || total != 5 || err != nil {
				t.Errorf("%+v: total %d, %v (-want +got):\n%s", c.r, total, err, diff)
			}
		}
	}
}

func TestPageStops(t *testing.T) {
	x := flat(t, 3*checkEvery).index
	set := AllCodes(x)
	stop := errors.New("enough")
	n := 0
	total, err := set.Page(context.Background(), PageRequest{Count: -1}, func(*Entry) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 3 || total != x.Len() {
		t.Errorf("visit's error: %v after %d of %d", err, n, total)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n = 0
	if _, err := set.Page(ctx, PageRequest{Count: -1}, func(*Entry) error {
		n++
		cancel()
		return nil
	}); !errors.Is(err, context.Canceled) || n > checkEvery {
		t.Errorf("context: %v after %d", err, n)
	}
}

// Sets that the index already has are not copied, so such a value set costs almost nothing.
func TestSetsOfAnIndexCostNothing(t *testing.T) {
	x := flat(t, 100_000).index
	w := &world{systems: []*system{{url: x.URL(), index: x}}}
	for name, compose := range map[string]r4.Compose{
		"all":   {Include: []r4.Include{{System: x.URL()}}},
		"twice": {Include: []r4.Include{{System: x.URL()}, {System: x.URL(), Concept: refs("7")}}},
	} {
		set := compile(t, w, valueSet("", compose))
		if set.Members(x) != x.All() || set.Len() != x.Len() {
			t.Errorf("%s: the set of the index is copied", name)
		}
		if set.Cost() > 2000 {
			t.Errorf("%s: costs %d bytes", name, set.Cost())
		}
	}
	if set := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: x.URL(), Concept: refs("1", "3", "5")}}})); set.Cost() < costSet {
		t.Errorf("a list costs %d bytes", set.Cost())
	}
}

func TestSelectable(t *testing.T) {
	z := zoo(t)
	w := &world{systems: []*system{z}}
	set := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: z.url, Concept: refs("cat", "animal", "dog")}}}))
	if diff := cmp.Diff([]string{"http://zoo|1#cat", "http://zoo|1#dog"}, codesOf(t, set.Selectable(), PageRequest{Count: -1})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := set.Selectable(); s.Selectable() != s {
		t.Error("a set without abstract codes is its own selectable set")
	}
}

// Contains allocates nothing, because it is called millions of times.
func TestContainsAllocatesNothing(t *testing.T) {
	z := zoo(t)
	w := &world{systems: []*system{z}}
	set := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{
		{System: z.url, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: "animal"}}}, {System: "http://none", Concept: refs("x")},
	}}))
	for _, code := range []string{"cat", "flier", "yeti"} {
		if n := testing.AllocsPerRun(100, func() {
			set.Contains(z.url, "", code)
			set.Contains(z.url, "1", code)
			set.Contains("http://none", "", "x")
		}); n != 0 {
			t.Errorf("%s: %v allocations", code, n)
		}
	}
}
