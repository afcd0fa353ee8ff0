package valueset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
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
		checkCodes(rt, set, want)
		checkStored(rt, t, w, set)
		checkFailures(rt, w, vs)
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
	r.Offset, r.Count = 0, -1
	n, last, stop := 0, rapid.IntRange(1, 9).Draw(rt, "last"), errors.New("enough")
	if _, err := set.Page(context.Background(), r, func(*Entry) error {
		if n++; n == last {
			return stop
		}
		return nil
	}); n != min(last, len(whole)) || errors.Is(err, stop) != (n == last) {
		rt.Fatalf("%+v: %d entries of %d, error %v; the visit stops at %d", r, n, len(whole), err, last)
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
	nested := codesOf(t, set, PageRequest{Query: q, Count: -1, Nested: true})
	if diff := cmp.Diff(slices.Sorted(slices.Values(hits)), slices.Sorted(slices.Values(nested))); diff != "" {
		rt.Fatalf("nested search for %q (-reference +compiled):\n%s", text, diff)
	}
	checkPages(rt, t, set, PageRequest{Query: q, Nested: true}, nested)
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

// checkCodes checks Codes, and Whole for each system.
func checkCodes(rt *rapid.T, set *Set, want []row) {
	var codes, listed []string
	systems := map[string]map[*system]int{}
	for _, r := range want {
		listed = append(listed, r.url+"#"+r.code)
		if systems[r.url] == nil {
			systems[r.url] = map[*system]int{}
		}
		systems[r.url][r.sys]++
	}
	for system, code := range set.Codes() {
		if codes = append(codes, system+"#"+code); len(codes) > len(listed) {
			rt.Fatalf("Codes go on after %v", codes)
		}
	}
	for n := range listed {
		for range set.Codes() {
			if n--; n < 0 {
				break
			}
		}
	}
	if slices.Sort(listed); !slices.Equal(listed, slices.Sorted(slices.Values(codes))) {
		rt.Fatalf("Codes: %v, want %v", codes, listed)
	}
	for _, url := range []string{"http://a", "http://b", "http://missing"} {
		n := 0
		for s, members := range systems[url] {
			if n = members; s == nil || len(systems[url]) > 1 {
				n = 0
			}
		}
		if x, members, ok := set.Whole(url); ok != (n > 0) || ok && (x.URL() != url || int(members.GetCardinality()) != n) {
			rt.Fatalf("Whole of %s: %v, %v; want %d", url, members, ok, n)
		}
	}
}

// checkStored checks that the listing of a set, stored as an expansion, is the same set again.
func checkStored(rt *rapid.T, t *testing.T, w *world, set *Set) {
	var list []r4.ExpansionContains
	var want []string
	var before *codesystem.Index
	runs := 0
	_, _ = set.Page(context.Background(), PageRequest{Count: -1}, func(e *Entry) error {
		if len(want) == 0 || e.Index != before {
			before = e.Index
			runs++
		}
		want = append(want, fmt.Sprint(nameOfEntry(e), e.Display, e.Inactive))
		to := &list
		if n := len(list); n > 0 && n%2 == 0 {
			to = &list[n-1].Contains
		}
		*to = append(*to, r4.ExpansionContains{System: e.System, Version: e.Version, Code: e.Code, Display: e.Display, Inactive: e.Inactive})
		return nil
	})
	vs := &r4.ValueSet{Expansion: &r4.Expansion{Contains: list}}
	var got []string
	stored := compile(t, w, vs)
	if len(stored.runs) != runs {
		rt.Fatalf("stored: %d runs, want %d", len(stored.runs), runs)
	}
	_, _ = stored.Page(context.Background(), PageRequest{Count: -1}, func(e *Entry) error {
		got = append(got, fmt.Sprint(nameOfEntry(e), e.Display, e.Inactive))
		return nil
	})
	if diff := cmp.Diff(want, got); diff != "" {
		rt.Fatalf("stored (-listed +compiled):\n%s", diff)
	}
	checkFailures(rt, w, vs)
}

// failing is a Source that fails after some calls.
type failing struct {
	*world
	left int
}

var errBroken = errors.New("broken")

func (f *failing) call() error {
	if f.left--; f.left < 0 {
		return errBroken
	}
	return nil
}

func (f *failing) CodeSystem(ctx context.Context, url, version string) (*codesystem.Index, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.world.CodeSystem(ctx, url, version)
}

func (f *failing) ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error) {
	if err := f.call(); err != nil {
		return nil, err
	}
	return f.world.ValueSet(ctx, canonical, visiting)
}

func (f *failing) SupplementsFor(*r4.ValueSet, *codesystem.Index) ([]*codesystem.Index, error) {
	return nil, f.call()
}

// checkFailures checks that a failure of the source, other than that something is absent, is told.
func checkFailures(rt *rapid.T, w *world, vs *r4.ValueSet) {
	src := &failing{w, rapid.IntRange(0, 6).Draw(rt, "calls")}
	first := src.left
	if _, err := Compile(context.Background(), src, vs, nil); errors.Is(err, errBroken) != (src.left < 0) {
		rt.Fatalf("the source failed: %v; compile: %v", src.left < 0, err)
	}
	src.left = first
	node, err := Explain(context.Background(), src, vs, "http://a", "", "C1", nil)
	told := strings.Join(tree(node), " ")
	if err != nil || src.left < 0 && !strings.Contains(told, "broken") && !strings.Contains(told, "not be evaluated: ") {
		rt.Fatalf("the source failed: %v; explanation: %v, %v", src.left < 0, tree(node), err)
	}
	src.left = first
	if _, ok, err := CompareDefinitions(context.Background(), src, vs, vs, VersionNever); vs.Compose != nil && (err != nil || ok && src.left < 0) {
		rt.Fatalf("the source failed: %v; definitions tell: %v, %v", src.left < 0, ok, err)
	}
}

// TestFailures lets each call of a source fail in turn.
func TestFailures(t *testing.T) {
	w := harbour(t)
	for _, vs := range []*r4.ValueSet{
		valueSet("", includes(filtered("http://harbour", "color = red"))),
		valueSet("", r4.Compose{Include: []r4.Include{codes("http://mixed", "a"), all("http://part")}, Exclude: []r4.Include{isA("http://mixed", "a")}}),
	} {
		for left, failed := 0, true; failed; left++ {
			src := &failing{w, left}
			_, err := Compile(t.Context(), src, vs, nil)
			if failed = src.left < 0; failed != errors.Is(err, errBroken) {
				t.Fatalf("call %d failed: %v, compile: %v", left, failed, err)
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
