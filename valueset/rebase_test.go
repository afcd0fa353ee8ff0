package valueset

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// republishing returns another index of a system on each request, with the concepts in another
// order and other numbers.
type republishing struct {
	*world
	editions []*system
	n        int
}

func (r *republishing) CodeSystem(context.Context, string, string) (*codesystem.Index, error) {
	r.n++
	return r.editions[r.n%len(r.editions)].index, nil
}

func (r *republishing) ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	vs, err := r.ValueSetDefinition(ctx, canonical)
	if err != nil {
		return nil, err
	}
	return Compile(ctx, r, vs, visiting)
}

// A system that is published again between two includes is still one system.
func TestSystemPublishedWhileCompiling(t *testing.T) {
	one := &system{url: "http://a", concepts: []concept{{code: "x"}, {code: "y"}, {code: "z"}}}
	two := &system{url: "http://a", concepts: []concept{{code: "w"}, {code: "z"}, {code: "y"}, {code: "x"}}}
	src := &republishing{world: &world{}, editions: []*system{one.build(t), two.build(t)}}
	src.valueSets = []*r4.ValueSet{valueSet("http://vs/yz", r4.Compose{Include: []r4.Include{
		{System: "http://a", Concept: []r4.ConceptReference{{Code: "z", Display: "Zed"}, {Code: "y"}}},
	}})}
	include := func(codes ...string) r4.Include { return r4.Include{System: "http://a", Concept: refs(codes...)} }
	all := r4.Include{System: "http://a"}
	for _, c := range []struct {
		name    string
		compose r4.Compose
		want    []string
	}{
		{"union", r4.Compose{Include: []r4.Include{include("z", "x"), include("x", "y")}}, []string{"http://a#z", "http://a#x", "http://a#y"}},
		{"exclude", r4.Compose{Include: []r4.Include{all}, Exclude: []r4.Include{{ValueSet: []string{"http://vs/yz"}}}}, nil},
		{"intersection", r4.Compose{Include: []r4.Include{{System: "http://a", Concept: refs("y", "x", "z"), ValueSet: []string{"http://vs/yz"}}}}, []string{"http://a#y", "http://a#z"}},
	} {
		for range 2 {
			set, err := Compile(context.Background(), src, valueSet("", c.compose), nil)
			if err != nil {
				t.Fatal(err)
			}
			src.n++ // start with the other edition
			got := codesOf(t, set, PageRequest{Count: -1})
			if c.want == nil {
				for _, gone := range []string{"y", "z"} {
					if _, ok := set.Contains("http://a", "", gone); ok {
						t.Errorf("%s: %s is still there", c.name, gone)
					}
				}
				continue
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	}
}
