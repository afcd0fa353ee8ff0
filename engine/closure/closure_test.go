package closure_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

const things, others, letters = "http://t.example/things", "http://t.example/others", "http://t.example/letters"

// large returns a code system of n codes in the shape of a terminology: few levels, up to three
// parents.
func large(t testing.TB, n int) *codesystem.Index {
	rng := rand.New(rand.NewPCG(4, 4))
	return build(t, things, "1", n, func(i int) int { return rng.IntN(i/8 + 1) }, rng)
}

// random returns a code system of n codes, c0 and so on, in which a code has up to three parents.
func random(t testing.TB, url, version string, n int, rng *rand.Rand) *codesystem.Index {
	return build(t, url, version, n, func(i int) int { return rng.IntN(i) }, rng)
}

func build(t testing.TB, url, version string, n int, parent func(i int) int, rng *rand.Rand) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: url, Version: version, Status: "active"}, Content: "complete"})
	for i := range n {
		c := codesystem.Concept{Code: fmt.Sprintf("c%d", i), Parent: -1}
		for p := 0; i > 0 && p < 1+rng.IntN(3); p++ {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Value{Type: "Code", Text: fmt.Sprintf("c%d", parent(i))}})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func publish(t testing.TB, eng *engine.Engine, indexes ...*codesystem.Index) {
	t.Helper()
	for _, x := range indexes {
		if err := eng.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
			t.Fatal(err)
		}
	}
}

// entries returns the relations of an answer as texts, and fails if one is there twice.
func entries(t testing.TB, a closure.Answer) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, g := range a.Groups {
		for _, e := range g.Elements {
			for _, target := range e.Targets {
				text := fmt.Sprintf("%s|%s < %s", g.System, e.Code, target.Code)
				if target.Equal {
					text = fmt.Sprintf("%s|%s = %s", g.System, e.Code, target.Code)
				}
				if found[text] {
					t.Errorf("%s is there twice", text)
				}
				found[text] = true
			}
		}
	}
	return found
}

// naive returns the relations of codes by asking $subsumes for every pair.
func naive(t testing.TB, eng *engine.Engine, codings []r4.Coding) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, a := range codings {
		for _, b := range codings {
			if a.System != b.System || a.Code == b.Code {
				continue
			}
			r, err := eng.Subsumes(t.Context(), &engine.SubsumesRequest{System: a.System, CodeA: a.Code, CodeB: b.Code})
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome == engine.SubsumedBy {
				found[fmt.Sprintf("%s|%s < %s", a.System, a.Code, b.Code)] = true
			}
		}
	}
	return found
}

func coded(system string, codes ...string) (list []r4.Coding) {
	for _, code := range codes {
		list = append(list, r4.Coding{System: system, Code: code})
	}
	return list
}

// TestClosureIsWhatSubsumesGives adds the codes of two code systems in random batches, through two
// nodes on one store, one of which keeps nothing in memory, and compares with $subsumes of all pairs.
func TestClosureIsWhatSubsumesGives(t *testing.T) {
	related := false
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 1 + rng.IntN(80)
		eng := engine.New()
		publish(t, eng, random(t, things, "1", n, rng), random(t, others, "7", n, rng))
		store := memory.New()
		nodes := []*closure.Tables{
			closure.New(eng, store, closure.Limits{}, nil),
			closure.New(eng, store, closure.Limits{MaxCached: 1}, nil),
		}
		if _, err := nodes[0].Initialise(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		var all []r4.Coding
		for i := range n {
			all = append(all, coded(things, fmt.Sprintf("c%d", i))...)
			all = append(all, coded(others, fmt.Sprintf("c%d", i))...)
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:1+rng.IntN(len(all))]
		got, since := map[string]bool{}, map[int64]map[string]bool{}
		for rest := all; len(rest) > 0; {
			size := 1 + rng.IntN(len(rest))
			size = min(size, 1+rng.IntN(12))
			batch := slices.Concat(rest[:size], all[:rng.IntN(3)%len(all)]) // with some that may be there
			rest = rest[size:]
			a, err := nodes[rng.IntN(2)].Add(t.Context(), "t", batch)
			if err != nil {
				t.Fatal(err)
			}
			more := entries(t, a)
			for text := range more {
				if got[text] {
					t.Errorf("seed %d: %s was sent before", seed, text)
				}
				got[text] = true
			}
			for _, later := range since {
				maps.Copy(later, more)
			}
			since[a.Version] = map[string]bool{}
		}
		related = related || len(got) > 100
		if want := naive(t, eng, all); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %d relations, $subsumes has %d", seed, len(got), len(want))
		}
		since[0] = got
		for version, want := range since {
			a, err := nodes[rng.IntN(2)].Replay(t.Context(), "t", fmt.Sprint(version))
			if err != nil {
				t.Fatal(err)
			}
			if replayed := entries(t, a); !maps.Equal(replayed, want) {
				t.Errorf("seed %d: the replay from version %d has %d relations, not %d", seed, version, len(replayed), len(want))
			}
		}
	}
	if !related {
		t.Error("no code system has a hierarchy")
	}
}

// TestTenThousand adds 10,000 codes in random batches, and compares the relations of all pairs with
// what $subsumes answers.
func TestTenThousand(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1_000
	}
	rng := rand.New(rand.NewPCG(5, 5))
	eng, x := engine.New(), large(t, n)
	publish(t, eng, x)
	ts := closure.New(eng, memory.New(), closure.Limits{}, nil)
	if _, err := ts.Initialise(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	got := map[[2]string]bool{}
	for order := rng.Perm(n); len(order) > 0; {
		size := min(len(order), 1+rng.IntN(200))
		var codings []r4.Coding
		for _, i := range order[:size] {
			codings = append(codings, coded(things, fmt.Sprintf("c%d", i))...)
		}
		order = order[size:]
		a, err := ts.Add(t.Context(), "t", codings)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range a.Groups {
			for _, e := range g.Elements {
				for _, target := range e.Targets {
					if pair := [2]string{e.Code, target.Code}; got[pair] || target.Equal {
						t.Fatalf("%v is there twice, or equal", pair)
					} else {
						got[pair] = true
					}
				}
			}
		}
	}
	related := 0
	for a, code := range x.Codes() {
		for b := range codesystem.Ord(x.Len()) {
			if engine.Relate(x, a, b) == engine.SubsumedBy { // what Engine.Subsumes returns
				related++
				if !got[[2]string{code, x.Code(b)}] {
					t.Fatalf("%s is subsumed by %s", code, x.Code(b))
				}
			}
		}
	}
	if related != len(got) || related < n {
		t.Errorf("%d relations, $subsumes has %d", len(got), related)
	}
}

// BenchmarkAdd adds batches of 100 codes to tables that have 1,000, 10,000 and 100,000.
func BenchmarkAdd(b *testing.B) {
	const n = 200_000
	eng := engine.New()
	publish(b, eng, large(b, n))
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ts := closure.New(eng, memory.New(), closure.Limits{}, nil)
			order := rand.New(rand.NewPCG(6, 6)).Perm(n)
			next := func(n int) (batch []r4.Coding) {
				for _, i := range order[:n] {
					batch = append(batch, coded(things, fmt.Sprintf("c%d", i))...)
				}
				order = append(order[n:], order[:n]...)
				return batch
			}
			if _, err := ts.Initialise(b.Context(), "t"); err != nil {
				b.Fatal(err)
			}
			if _, err := ts.Add(b.Context(), "t", next(size)); err != nil {
				b.Fatal(err)
			}
			added := 0
			for b.Loop() {
				a, err := ts.Add(b.Context(), "t", next(100))
				if err != nil {
					b.Fatal(err)
				}
				for _, g := range a.Groups {
					for _, e := range g.Elements {
						added += len(e.Targets)
					}
				}
			}
			b.ReportMetric(float64(added)/float64(b.N), "relations/op")
		})
	}
}

// TestTwoNodesLoseNothing adds to one table from many goroutines on two nodes at once.
func TestTwoNodesLoseNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eng := engine.New()
	publish(t, eng, random(t, things, "1", 120, rng))
	store := memory.New()
	nodes := []*closure.Tables{closure.New(eng, store, closure.Limits{}, nil), closure.New(eng, store, closure.Limits{}, nil)}
	if _, err := nodes[0].Initialise(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		got  = map[string]bool{}
		seen = map[int64]bool{}
	)
	for i := range 8 {
		wg.Go(func() {
			for k := range 15 {
				a, err := nodes[i%2].Add(t.Context(), "t", coded(things, fmt.Sprintf("c%d", 8*k+i)))
				mu.Lock()
				if err != nil || seen[a.Version] {
					t.Error(a.Version, err)
				}
				seen[a.Version] = true
				maps.Copy(got, entries(t, a))
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var all []r4.Coding
	for i := range 120 {
		all = append(all, coded(things, fmt.Sprintf("c%d", i))...)
	}
	if want := naive(t, eng, all); !maps.Equal(got, want) {
		t.Errorf("%d relations, $subsumes has %d", len(got), len(want))
	}
}

// document returns a code system entry of a JSON document.
func document(t testing.TB, body string) *engine.Entry {
	t.Helper()
	entry, err := catalog.DocumentEntry("test", "CodeSystem", []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

func tree(version, codes string) string {
	return `{"resourceType":"CodeSystem","url":"` + letters + `","version":"` + version + `","status":"active","content":"complete","caseSensitive":false,"concept":[` + codes + `]}`
}

// TestErrorsChangeNothing checks each error, and that the table is as before.
func TestErrorsChangeNothing(t *testing.T) {
	eng := engine.New()
	if err := eng.Publish(document(t, tree("1", `{"code":"a","concept":[{"code":"b"}]},{"code":"z"}`))); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	store := memory.New()
	ts := closure.New(eng, store, closure.Limits{MaxTables: 1, MaxConcepts: 3, MaxEntries: 3}, nil)
	for _, name := range []string{"", "a b", "ä", strings.Repeat("a", 65), "a/b"} {
		if _, err := ts.Initialise(ctx, name); !errors.Is(err, closure.ErrBadName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := ts.Add(ctx, "t", coded(letters, "a")); !errors.Is(err, closure.ErrNotInitialised) {
		t.Error(err)
	}
	if _, err := ts.Replay(ctx, "t", "0"); !errors.Is(err, closure.ErrNotInitialised) {
		t.Error(err)
	}
	if a, err := ts.Initialise(ctx, "t"); err != nil || a.Version != 1 || !a.Created {
		t.Fatal(a, err)
	}
	if _, err := ts.Initialise(ctx, "u"); !errors.Is(err, closure.ErrTooLarge) {
		t.Error(err)
	}
	if a, err := ts.Add(ctx, "t", coded(letters, "a")); err != nil || a.Version != 2 || len(a.Groups) != 0 {
		t.Fatal(a, err)
	}
	for _, bad := range []struct {
		codings []r4.Coding
		want    string
	}{
		{coded(letters, "b", "nope"), "nope"},
		{append(coded(letters, "b"), coded("http://unknown", "x")...), "http://unknown"},
		{append(coded(letters, "b"), r4.Coding{Code: "b"}), "a system and a code are required"},
		{append(coded(letters, "b"), r4.Coding{System: letters, Version: "2", Code: "z"}), "2"},
		{coded(letters, "b", "B", "z"), "3 are allowed"},
		{coded(letters, "b", "A", "B"), "more than 3 entries"},
	} {
		_, err := ts.Add(ctx, "t", bad.codings)
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%v: %v", bad.codings, err)
		}
		if a, err := ts.Replay(ctx, "t", "2"); err != nil || a.Version != 2 || len(a.Groups) != 0 {
			t.Errorf("%v changed the table: %+v %v", bad.codings, a, err)
		}
	}
	for _, version := range []string{"3", "x", "-1", "", "99999999999999999999"} {
		if _, err := ts.Replay(ctx, "t", version); err == nil {
			t.Errorf("version %q", version)
		}
	}
	if a, err := ts.Add(ctx, "t", nil); err != nil || a.Version != 2 {
		t.Error(a, err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := ts.Add(done, "t", coded(letters, "z")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if a, err := ts.Replay(ctx, "t", "0"); err != nil || a.Version != 2 {
		t.Error(a, err)
	}
}

// TestSpellings adds a code in two spellings: they are equal, and both are subsumed.
func TestSpellings(t *testing.T) {
	eng := engine.New()
	if err := eng.Publish(document(t, tree("1", `{"code":"a","concept":[{"code":"b"}]}`))); err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	ts := closure.New(eng, store, closure.Limits{}, nil)
	if _, err := ts.Initialise(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		codes []string
		want  []string
	}{
		{[]string{"B"}, nil},
		{[]string{"b"}, []string{"b = B"}},
		{[]string{"A", "a"}, []string{"B < A", "B < a", "a = A", "b < A", "b < a"}},
	} {
		a, err := ts.Add(t.Context(), "t", coded(letters, step.codes...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range slices.Sorted(maps.Keys(entries(t, a))) {
			got = append(got, strings.TrimPrefix(text, letters+"|"))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%v: %v, want %v", step.codes, got, step.want)
		}
		ts = closure.New(eng, store, closure.Limits{}, nil)
	}
}

// TestReinitialise changes code systems of tables: only a change of codes, hierarchy or version that
// a table depends on makes it unusable, until it is initialised again.
func TestReinitialise(t *testing.T) {
	const first = `{"code":"a","concept":[{"code":"b"}]},{"code":"z"}`
	for _, tt := range []struct {
		name            string
		version, change string
		pinned          string
		must            bool
	}{
		{"the same again", "1", first, "", false},
		{"in another order", "1", `{"code":"z"},{"code":"a","concept":[{"code":"b"}]}`, "", false},
		{"another display", "1", `{"code":"a","display":"A","concept":[{"code":"b"}]},{"code":"z"}`, "", false},
		{"another code", "1", first + `,{"code":"y"}`, "", true},
		{"another parent", "1", `{"code":"a"},{"code":"z","concept":[{"code":"b"}]}`, "", true},
		{"another version", "2", first, "", true},
		{"another version beside the one that was named", "2", first, "1", false},
		{"other content of the version that was named", "1", `{"code":"a"},{"code":"b"},{"code":"z"}`, "1", true},
	} {
		for _, restarted := range []bool{false, true} {
			eng := engine.New()
			if err := eng.Publish(document(t, tree("1", first))); err != nil {
				t.Fatal(err)
			}
			store := memory.New()
			ts := closure.New(eng, store, closure.Limits{}, nil)
			if _, err := ts.Initialise(t.Context(), "t"); err != nil {
				t.Fatal(err)
			}
			if _, err := ts.Add(t.Context(), "t", []r4.Coding{{System: letters, Code: "b", Version: tt.pinned}}); err != nil {
				t.Fatal(err)
			}
			if err := eng.Publish(document(t, tree(tt.version, tt.change))); err != nil {
				t.Fatal(err)
			}
			if restarted {
				ts = closure.New(eng, store, closure.Limits{}, nil)
			}
			a, err := ts.Add(t.Context(), "t", coded(letters, "a"))
			if errors.Is(err, closure.ErrReinitialise) != tt.must || !tt.must && len(entries(t, a)) != 1 {
				t.Errorf("%s: %+v %v", tt.name, a, err)
			}
			if _, err := ts.Replay(t.Context(), "t", "0"); errors.Is(err, closure.ErrReinitialise) != tt.must {
				t.Errorf("%s, replay: %v", tt.name, err)
			}
			again, err := ts.Initialise(t.Context(), "t")
			if err != nil || again.Version <= 2 {
				t.Errorf("%s: %+v %v", tt.name, again, err)
			}
			if _, err := ts.Add(t.Context(), "t", coded(letters, "a", "b")); err != nil {
				t.Errorf("%s, initialised again: %v", tt.name, err)
			}
			if _, err := ts.Replay(t.Context(), "t", "2"); !errors.Is(err, closure.ErrReinitialise) {
				t.Errorf("%s, version from before: %v", tt.name, err)
			}
		}
	}
}

// failing is a journal that refuses to append.
type failing struct {
	resources.Journaler
	err error
}

func (f *failing) AppendJournal(ctx context.Context, a resources.JournalAppend) (int64, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Journaler.AppendJournal(ctx, a)
}

// TestJournalFails checks that a code counts as added only when the journal has it.
func TestJournalFails(t *testing.T) {
	eng := engine.New()
	if err := eng.Publish(document(t, tree("1", `{"code":"a","concept":[{"code":"b"}]}`))); err != nil {
		t.Fatal(err)
	}
	journal := &failing{Journaler: memory.New()}
	ts := closure.New(eng, journal, closure.Limits{}, nil)
	if _, err := ts.Initialise(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	journal.err = errors.New("disk full")
	if _, err := ts.Add(t.Context(), "t", coded(letters, "a", "b")); !errors.Is(err, journal.err) {
		t.Fatal(err)
	}
	journal.err = nil
	if a, err := ts.Add(t.Context(), "t", coded(letters, "a", "b")); err != nil || len(entries(t, a)) != 1 || a.Version != 2 {
		t.Error(a, err)
	}
}

// asked is a journal that notes after which number it was read: 0 where a table is not in memory.
type asked struct {
	resources.Journaler
	after int64
}

func (a *asked) Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error) {
	a.after = after
	return a.Journaler.Journal(ctx, name, after)
}

// TestTablesLeaveMemory uses tables at times: one that is idle leaves memory, and so does the one that was
// unused longest where there are too many codes.
func TestTablesLeaveMemory(t *testing.T) {
	eng := engine.New()
	publish(t, eng, large(t, 20))
	synctest.Test(t, func(t *testing.T) {
		journal := &asked{Journaler: memory.New()}
		ts := closure.New(eng, journal, closure.Limits{Idle: time.Minute, MaxCached: 4}, nil)
		for _, name := range []string{"a", "b", "c"} {
			if _, err := ts.Initialise(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		for i, use := range []struct {
			name string
			wait time.Duration
			kept bool
		}{
			{"a", 0, false},
			{"a", 59 * time.Second, true},
			{"a", 59 * time.Second, true},
			{"a", time.Minute, false},
			{"b", time.Second, false},
			{"a", time.Second, true},
			{"c", time.Second, false}, // b leaves
			{"c", 0, true},
			{"a", time.Second, true},
			{"b", time.Second, false}, // c leaves
			{"a", 58 * time.Second, true},
			{"b", 0, true},
			{"b", time.Minute + 1, false},
		} {
			time.Sleep(use.wait)
			synctest.Wait()
			if _, err := ts.Add(t.Context(), use.name, coded(things, "c1", "c2")); err != nil || (journal.after > 0) != use.kept {
				t.Errorf("use %d: read after %d, %v", i, journal.after, err)
			}
		}
	})
}

// TestGrammar adds codes of a code system with a grammar: they are checked, and subsume nothing.
func TestGrammar(t *testing.T) {
	eng := engine.New()
	if err := eng.Publish(engine.GrammarEntries()...); err != nil {
		t.Fatal(err)
	}
	ts := closure.New(eng, memory.New(), closure.Limits{}, nil)
	if _, err := ts.Initialise(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"mmol/L", "kg", "10*3/uL", "kg"} {
		if a, err := ts.Add(t.Context(), "t", coded("http://unitsofmeasure.org", code)); err != nil || len(a.Groups) > 0 {
			t.Error(code, a, err)
		}
	}
	if _, err := ts.Add(t.Context(), "t", coded("http://unitsofmeasure.org", "bogus/unit")); err == nil {
		t.Error("an unknown unit was added")
	}
}

// FuzzChange reads arbitrary records: they are refused or applied, never a panic.
func FuzzChange(f *testing.F) {
	f.Add([]byte(`{"init":true}`), []byte(`{"systems":[{"url":"`+letters+`","version":"1"}],"codes":{"0":["a","b","a"]}}`))
	f.Add([]byte(`{"codes":{"-1":["a"]}}`), []byte(`{"codes":{"99":["a"]}}`))
	f.Add([]byte(`[]`), []byte(`{"systems":[{"url":""}],"init":true}`))
	eng := engine.New()
	entry := document(f, tree("1", `{"code":"a","concept":[{"code":"b"}]}`))
	if err := eng.Publish(entry); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		store := memory.New()
		for i, body := range [][]byte{a, b} {
			if _, err := store.AppendJournal(t.Context(), resources.JournalAppend{Name: "closure/t", After: int64(i), Body: body}); err != nil {
				t.Fatal(err)
			}
		}
		ts := closure.New(eng, store, closure.Limits{}, nil)
		_, _ = ts.Add(t.Context(), "t", coded(letters, "a", "b"))
		_, _ = ts.Replay(t.Context(), "t", "0")
		if _, err := ts.Initialise(t.Context(), "t"); err != nil {
			t.Error(err)
		}
	})
}
