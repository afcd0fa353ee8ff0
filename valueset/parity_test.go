package valueset

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
)

func names(rows []row) []string {
	out := []string{}
	for i := range rows {
		out = append(out, rows[i].name())
	}
	return out
}

// The compiled set agrees with the naive reference in members, order, totals, pages, displays,
// search, membership and explanation.
func TestParityWithNaiveReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt, t)
		vs := valueSet("http://vs/root", drawCompose(rt, len(w.valueSets)))
		want, wantErr := naive{w}.valueSet(vs)
		set, err := Compile(context.Background(), w, vs, nil)
		if !sameFailure(err, wantErr) {
			rt.Fatalf("compile: %v, reference: %v", err, wantErr)
		}
		if err != nil {
			return
		}
		checkListing(rt, t, set, want)
		checkSearch(rt, t, set, want)
		checkMembership(rt, w, set, want)
		code := drawCode(rt)
		for _, version := range []string{"", "1", "3"} {
			for _, url := range []string{"", "http://a", "http://b", "http://missing", "http://other"} {
				checkExplanation(rt, w, set, url, version, code, func() (*Explanation, error) {
					return Explain(context.Background(), w, vs, url, version, code, nil)
				})
			}
		}
	})
}

func checkListing(rt *rapid.T, t *testing.T, set *Set, want []row) {
	if diff := cmp.Diff(names(want), codesOf(t, set, PageRequest{Count: -1})); diff != "" {
		rt.Fatalf("listing (-reference +compiled):\n%s", diff)
	}
	if set.Len() != len(want) {
		rt.Fatalf("Len %d, want %d", set.Len(), len(want))
	}
	i := 0
	_, _ = set.Page(context.Background(), PageRequest{Count: -1}, func(e *Entry) error {
		if e.Display != want[i].display || e.Inactive != want[i].inactive || len(e.Designations()) != len(want[i].designations) {
			rt.Fatalf("entry %+v, want %+v", e, want[i])
		}
		i++
		return nil
	})
	active := slices.DeleteFunc(slices.Clone(want), func(r row) bool { return r.inactive })
	if diff := cmp.Diff(names(active), codesOf(t, set, PageRequest{Count: -1, ActiveOnly: true})); diff != "" {
		rt.Fatalf("active (-reference +compiled):\n%s", diff)
	}
	checkPages(rt, t, set, PageRequest{}, names(want))
	nested := codesOf(t, set, PageRequest{Count: -1, Nested: true})
	if diff := cmp.Diff(slices.Sorted(slices.Values(names(want))), slices.Sorted(slices.Values(nested))); diff != "" {
		rt.Fatalf("nested lists other codes:\n%s", diff)
	}
	checkPages(rt, t, set, PageRequest{Nested: true}, nested)
}

// checkPages checks that the pages together are the whole set, and that all have the same total.
func checkPages(rt *rapid.T, t *testing.T, set *Set, r PageRequest, whole []string) {
	r.Count = rapid.IntRange(1, 5).Draw(rt, "count")
	got := []string{}
	for r.Offset = 0; r.Offset < len(whole)+2; r.Offset += r.Count {
		total, err := set.Page(context.Background(), r, func(e *Entry) error {
			got = append(got, nameOfEntry(e))
			return nil
		})
		if err != nil || total != len(whole) {
			rt.Fatalf("page at %d: total %d, want %d, error %v", r.Offset, total, len(whole), err)
		}
	}
	if diff := cmp.Diff(whole, got); diff != "" {
		rt.Fatalf("pages put together (-whole +pages):\n%s", diff)
	}
	if total, err := set.Page(context.Background(), PageRequest{Query: r.Query, Nested: r.Nested}, nil); err != nil || total != len(whole) {
		rt.Fatalf("count 0: total %d, want %d, error %v", total, len(whole), err)
	}
}

func checkSearch(rt *rapid.T, t *testing.T, set *Set, want []row) {
	text := rapid.SampledFrom([]string{"app", "tart ap", "c1", "C", "elan", "own", "own t", "apf", "zz", "pear"}).Draw(rt, "text")
	q := codesystem.CompileQuery(text)
	hits := naive{}.search(want, q)
	if diff := cmp.Diff(hits, codesOf(t, set, PageRequest{Query: q, Count: -1})); diff != "" {
		rt.Fatalf("search for %q (-reference +compiled):\n%s", text, diff)
	}
	checkPages(rt, t, set, PageRequest{Query: q}, hits)
}

func checkMembership(rt *rapid.T, w *world, set *Set, want []row) {
	for _, r := range want {
		e, ok := set.Contains(r.url, r.version, r.code)
		if !ok || e.Code != r.code || e.System != r.url || e.Version != r.version {
			rt.Fatalf("%s is listed but Contains gives %+v, %v", r.name(), e, ok)
		}
		if _, ok := set.Contains(r.url, "", r.code); !ok {
			rt.Fatalf("%s is listed but not found without a version", r.name())
		}
	}
	for _, s := range w.systems {
		for i := range s.concepts {
			c := &s.concepts[i]
			listed := slices.ContainsFunc(want, func(r row) bool { return r.url == s.url && r.version == s.version && r.code == c.code })
			if _, ok := set.Contains(s.url, s.version, c.code); ok != listed && s.version != "" {
				rt.Fatalf("%s|%s#%s: listed %v, Contains %v", s.url, s.version, c.code, listed, ok)
			}
		}
	}
}

func checkExplanation(rt *rapid.T, w *world, set *Set, url, version, code string, explain func() (*Explanation, error)) {
	node, err := explain()
	if err != nil {
		rt.Fatal(err)
	}
	_, ok := set.Contains(url, version, code)
	if url == "" {
		ok = slices.ContainsFunc(set.Infer(code), func(e Entry) bool { return e.fits(version) })
	}
	if node.Verdict != ok {
		rt.Fatalf("explain %s|%s#%s says %v, Contains %v: %+v", url, version, code, node.Verdict, ok, node)
	}
	checkNode(rt, node)
}

// checkNode checks that every node has a reason.
func checkNode(rt *rapid.T, node *Explanation) {
	if node.Label == "" || node.Reason == "" || node.Expression == "" {
		rt.Fatalf("node says too little: %+v", node)
	}
	for _, c := range node.Children {
		checkNode(rt, c)
	}
}
