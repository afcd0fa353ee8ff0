package valueset_test

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// one is a Source with a single code system and no value sets.
type one struct{ index *codesystem.Index }

func (o one) CodeSystem(_ context.Context, url, _ string) (*codesystem.Index, error) {
	if url == o.index.URL() {
		return o.index, nil
	}
	return nil, fmt.Errorf("%w: %s", valueset.ErrUnknownSystem, url)
}

func (o one) ValueSet(_ context.Context, canonical string, _ []string) (*valueset.Set, error) {
	return nil, fmt.Errorf("%w: %s", valueset.ErrUnknownValueSet, canonical)
}

// birds builds a small system: bird, with duck and owl below it, and snowy owl below owl.
func birds() one {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/birds", Version: "1"}})
	for _, c := range []codesystem.Concept{
		{Code: "bird", Display: "Bird", Parent: -1},
		{Code: "duck", Display: "Duck", Parent: 0},
		{Code: "owl", Display: "Owl", Parent: 0},
		{Code: "snowy", Display: "Snowy owl", Parent: 2},
	} {
		if _, err := b.Add(&c); err != nil {
			panic(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return one{x}
}

func owls() *r4.ValueSet {
	return &r4.ValueSet{
		Header: r4.Header{URL: "http://example.org/owls"},
		Compose: &r4.Compose{Include: []r4.Include{{
			System: "http://example.org/birds",
			Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: "owl"}},
		}}},
	}
}

func ExampleCompile() {
	set, err := valueset.Compile(context.Background(), birds(), owls(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, isMember := set.Contains("http://example.org/birds", "", "duck")
	fmt.Println(set.Len(), isMember)
	// Output: 2 false
}

func ExampleSet_Page() {
	ctx := context.Background()
	set := valueset.AllCodes(birds().index)
	total, err := set.Page(ctx, valueset.PageRequest{Nested: true, Offset: 1, Count: 3}, func(e *valueset.Entry) error {
		fmt.Printf("%*s%s %s\n", 2*e.Depth, "", e.Code, e.Display)
		return nil
	})
	fmt.Println(total, err)
	total, err = set.Page(ctx, valueset.PageRequest{Query: codesystem.CompileQuery("ow"), Count: 10}, func(e *valueset.Entry) error {
		fmt.Println(e.Code, e.Display)
		return nil
	})
	fmt.Println(total, err)
	// Output:
	//   duck Duck
	//   owl Owl
	//     snowy Snowy owl
	// 4 <nil>
	// owl Owl
	// snowy Snowy owl
	// 2 <nil>
}

func ExampleExplain() {
	var show func(node *valueset.Explanation, indent string)
	show = func(node *valueset.Explanation, indent string) {
		fmt.Printf("%s%v: %s (%s)\n", indent, node.Verdict, node.Reason, node.Expression)
		for _, c := range node.Children {
			show(c, indent+"  ")
		}
	}
	node, err := valueset.Explain(context.Background(), birds(), owls(), "http://example.org/birds", "", "snowy", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(node, "")
	// Output:
	// true: selected by include[0] (ValueSet)
	//   true: all conditions hold (ValueSet.compose.include[0])
	//     true: the code is in http://example.org/birds|1 (ValueSet.compose.include[0].system)
	//     true: path snowy → owl (ValueSet.compose.include[0].filter[0])
}

func ExampleCache_Do() {
	ctx := context.Background()
	cache := valueset.NewCache[string, *valueset.Set](valueset.DefaultCacheBytes)
	compile := func(ctx context.Context) (*valueset.Set, int64, error) {
		set, err := valueset.Compile(ctx, birds(), owls(), nil)
		if err != nil {
			return nil, 0, err
		}
		return set, set.Cost(), nil
	}
	for range 3 {
		if _, err := cache.Do(ctx, "http://example.org/owls, generation 1", compile); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(cache.Stats().Hits, "hits,", cache.Stats().Entries, "entry")
	// Output: 2 hits, 1 entry
}
