package valueset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

// Laws of the algebra, up to order: union is idempotent and commutative, a set minus itself is
// empty, the common codes of two sets are what remains after removing the others, is-a and
// is-not-a divide a system.
func TestAlgebraLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt, t)
		members := func(vs *r4.ValueSet) ([]string, bool) {
			set, err := Compile(context.Background(), w, vs, nil)
			if err != nil {
				return nil, false
			}
			return slices.Sorted(slices.Values(codesOf(t, set, PageRequest{Count: -1}))), true
		}
		var sides [2][]string
		for i, url := range []string{"http://vs/x", "http://vs/y"} {
			vs := valueSet(url, drawCompose(rt, len(w.valueSets)))
			var ok bool
			if sides[i], ok = members(vs); !ok {
				return
			}
			w.valueSets = append(w.valueSets, vs)
		}
		this, other := w.valueSets[len(w.valueSets)-2], w.valueSets[len(w.valueSets)-1]
		sets := [2]*Set{compile(t, w, this), compile(t, w, other)}
		looks := rapid.SampledFrom([]int{0, 1, 1, 1, 2, 2, 3, 4, 6, 9, 12}).Draw(rt, "looks")
		page := func(r PageRequest) func(context.Context) error {
			r.Count = -1
			return func(ctx context.Context) error {
				return second(sets[0].Page(ctx, r, func(*Entry) error { return nil }))
			}
		}
		q := codesystem.CompileQuery("app")
		for name, ask := range map[string]func(context.Context) error{
			"compile": func(ctx context.Context) error { return second(Compile(ctx, w, this, nil)) },
			"explain": func(ctx context.Context) error { return second(Explain(ctx, w, this, "", "", "c1", nil)) },
			"page":    page(PageRequest{}), "nested": page(PageRequest{Nested: true}),
			"search": page(PageRequest{Query: q}), "nested search": page(PageRequest{Query: q, Nested: true}),
			"compare": func(ctx context.Context) error { return second(sets[0].Compare(ctx, sets[1], VersionAsNeeded, true)) },
			"definitions": func(ctx context.Context) error {
				_, _, err := CompareDefinitions(ctx, w, this, other, VersionAsNeeded)
				return err
			},
		} {
			ctx := contexttest.After(context.Background(), looks)
			if err := ask(ctx); ctx.Seen() && !errors.Is(err, context.Canceled) {
				rt.Fatalf("%s, stopped: %v", name, err)
			}
		}
		x, y := []string{"http://vs/x"}, []string{"http://vs/y"}
		of := func(include, exclude [][]string) []string {
			var c r4.Compose
			for _, v := range include {
				c.Include = append(c.Include, r4.Include{ValueSet: v})
			}
			for _, v := range exclude {
				c.Exclude = append(c.Exclude, r4.Include{ValueSet: v})
			}
			got, ok := members(valueSet("", c))
			if !ok {
				rt.Fatalf("%v less %v does not compile", include, exclude)
			}
			return got
		}
		equal := func(law string, a, b []string) {
			if diff := cmp.Diff(a, b); diff != "" {
				rt.Fatalf("%s:\n%s", law, diff)
			}
		}
		equal("x ∪ x = x", of([][]string{x, x}, nil), sides[0])
		equal("x ∪ y = y ∪ x", of([][]string{x, y}, nil), of([][]string{y, x}, nil))
		equal("x ∖ x = ∅", of([][]string{x}, [][]string{x}), []string(nil))
		equal("x ∩ x = x", of([][]string{append(slices.Clone(x), x...)}, nil), sides[0])
		equal("(x ∖ y) ∪ y = x ∪ y", union(of([][]string{x}, [][]string{y}), sides[1]), union(sides[0], sides[1]))
	})
}

func second[T any](_ T, err error) error { return err }

// union joins two sorted lists of names.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func TestIsAAndIsNotAPartASystem(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSystem(rt, t, "http://a", "")
		w := &world{systems: []*system{s}}
		target := rapid.SampledFrom(s.concepts).Draw(rt, "target").code
		is := r4.Include{System: s.url, Filter: []r4.Filter{{Property: "concept", Op: "is-a", Value: target}}}
		not := r4.Include{System: s.url, Filter: []r4.Filter{{Property: "concept", Op: "is-not-a", Value: target}}}
		a, b := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{is}})), compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{not}}))
		all := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{is, not}}))
		if a.Len()+b.Len() != s.index.Len() || all.Len() != s.index.Len() {
			rt.Fatalf("%d + %d, together %d, of %d", a.Len(), b.Len(), all.Len(), s.index.Len())
		}
		less := compile(t, w, valueSet("", r4.Compose{Include: []r4.Include{{System: s.url}}, Exclude: []r4.Include{is}}))
		if diff := cmp.Diff(codesOf(t, b, PageRequest{Count: -1}), codesOf(t, less, PageRequest{Count: -1})); diff != "" {
			rt.Fatalf("is-not-a is all less is-a:\n%s", diff)
		}
	})
}

// TestCheckOperators checks that a value set is refused for an unknown operator, and for no
// other.
func TestCheckOperators(t *testing.T) {
	with := func(op string) error {
		return Check(valueSet("http://vs", r4.Compose{
			Include: []r4.Include{{System: "http://s"}},
			Exclude: []r4.Include{{System: "http://s", Filter: []r4.Filter{{Property: "p", Op: op, Value: "v"}}}},
		}))
	}
	for _, op := range codesystem.FilterOperators() {
		if err := with(op); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
	err := with("starts-with")
	var at *Error
	if !errors.Is(err, ErrInvalidCompose) || !errors.As(err, &at) || at.Expression != "ValueSet.compose.exclude[0].filter[0].op" || !strings.Contains(err.Error(), "descendent-of") {
		t.Errorf("starts-with: %v", err)
	}
}

// FuzzCompile: every decodable value set either fails with a reason, or compiles to a set whose
// listing, totals, membership and explanation agree.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`{"resourceType":"ValueSet","status":"draft","compose":{"include":[{"system":"http://zoo"}]}}`,
		`{"resourceType":"ValueSet","url":"http://v","version":"1","compose":{"inactive":false,"include":[{"system":"http://zoo","filter":[{"property":"concept","op":"is-a","value":"mammal"},{"property":"color","op":"in","value":"black,brown"}]}],"exclude":[{"system":"http://zoo","concept":[{"code":"dog"}]}]}}`,
		`{"resourceType":"ValueSet","compose":{"include":[{"system":"http://zoo","version":"1","concept":[{"code":"cat","display":"Puss","designation":[{"language":"de","value":"Katze"}]},{"code":"x"}]},{"system":"http://none","concept":[{"code":"q"}]}]}}`,
		`{"resourceType":"ValueSet","contained":[{"resourceType":"ValueSet","id":"in","compose":{"include":[{"valueSet":["#in"]},{"system":"http://zoo"}]}}],"compose":{"include":[{"valueSet":["#in","http://v"]}]}}`,
		`{"resourceType":"ValueSet","expansion":{"contains":[{"system":"http://zoo","code":"cat","contains":[{"system":"http://none","code":"z","inactive":true}]}]}}`,
		`{"resourceType":"ValueSet","compose":{"include":[{"system":"http://zoo","filter":[{"property":"code","op":"regex","value":"[a-c].*"},{"property":"concept","op":"descendent-leaf","value":"animal"}]},{"valueSet":["http://vs/black"]}],"exclude":[{"valueSet":["http://vs/black"]},{"system":"http://none"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	z := zoo(f)
	w := &world{systems: []*system{z}, valueSets: []*r4.ValueSet{
		valueSet("http://vs/black", r4.Compose{Include: []r4.Include{{System: z.url, Filter: []r4.Filter{{Property: "color", Op: "=", Value: "black"}}}}}),
	}}
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, data []byte) {
		vs, err := r4.DecodeValueSet(data)
		if err != nil {
			return
		}
		set, err := Compile(ctx, w, vs, nil)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			if _, err := Explain(ctx, w, vs, z.url, "", "cat", nil); err != nil {
				t.Fatalf("explain: %v", err)
			}
			return
		}
		if set.Cost() <= 0 {
			t.Fatal("a set costs something")
		}
		var entries []Entry
		total, err := set.Page(ctx, PageRequest{Count: -1}, func(e *Entry) error {
			entries = append(entries, *e)
			return nil
		})
		if err != nil || total != len(entries) || total != set.Len() {
			t.Fatalf("total %d of %d, %v", total, len(entries), err)
		}
		for _, r := range []PageRequest{{Nested: true, Count: -1}, {ActiveOnly: true, Count: -1}, {Query: codesystem.CompileQuery("c"), Count: -1}} {
			n := 0
			if total, err := set.Page(ctx, r, func(*Entry) error { n++; return nil }); err != nil || total != n {
				t.Fatalf("%+v: total %d of %d, %v", r, total, n, err)
			}
		}
		for i := range min(len(entries), 20) {
			e := &entries[i]
			if e.System == "" {
				continue
			}
			if _, ok := set.Contains(e.System, e.Version, e.Code); !ok {
				t.Fatalf("%s is listed but not found", nameOfEntry(e))
			}
			if node, err := Explain(ctx, w, vs, e.System, e.Version, e.Code, nil); err != nil || !node.Verdict {
				t.Fatalf("%s is listed but explained away: %+v, %v", nameOfEntry(e), node, err)
			}
		}
	})
}
