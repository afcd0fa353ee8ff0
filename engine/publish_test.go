package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

var _ resources.Listener = (*engine.Engine)(nil)

// entry makes a code system entry whose one code tells which entry answered.
func entry(t testing.TB, id, url, version, code string, change ...func(*engine.Entry)) *engine.Entry {
	e := engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: id, URL: url, Version: version}}, c{code: code}), "test")
	for _, f := range change {
		f(e)
	}
	return e
}

func stored(e *engine.Entry)     { e.Stored = true }
func builtIn(e *engine.Entry)    { e.BuiltIn = true }
func notPresent(e *engine.Entry) { e.Content = "not-present" }

// answers returns the code of the system that answers for a canonical.
func answers(e *engine.Engine, url, version string) string {
	x, err := e.System(url, version)
	if err != nil {
		return err.Error()
	}
	return x.Code(0)
}

func TestWhichVersionAnswers(t *testing.T) {
	const url = "http://example.org/s"
	for _, tt := range []struct {
		name    string
		entries []*engine.Entry
		version string
		want    string
	}{
		{"highest", []*engine.Entry{entry(t, "a", url, "1.9.0", "a"), entry(t, "b", url, "1.10.0", "b")}, "", "b"},
		{"exact", []*engine.Entry{entry(t, "a", url, "1.9.0", "a"), entry(t, "b", url, "1.10.0", "b")}, "1.9.0", "a"},
		{"pattern", []*engine.Entry{entry(t, "a", url, "1.9.0", "a"), entry(t, "b", url, "2.0.0", "b")}, "1.x", "a"},
		{"release before pre-release", []*engine.Entry{entry(t, "a", url, "1.0.0", "a"), entry(t, "b", url, "1.0.0-rc.1", "b")}, "", "a"},
		{"stored before loaded", []*engine.Entry{entry(t, "a", url, "1", "a", stored), entry(t, "b", url, "2", "b")}, "", "a"},
		{"stored of the same version", []*engine.Entry{entry(t, "a", url, "1", "a", stored), entry(t, "b", url, "1", "b")}, "1", "a"},
		{"loaded before built in", []*engine.Entry{entry(t, "a", url, "1", "a"), entry(t, "b", url, "2", "b", builtIn)}, "", "a"},
		{"loaded again", []*engine.Entry{entry(t, "a", url, "1", "a"), entry(t, "b", url, "1", "b")}, "", "b"},
		{"stored again under another id", []*engine.Entry{entry(t, "a", url, "1", "a", stored), entry(t, "b", url, "1", "b", stored)}, "", "b"},
		{"versions of one id", []*engine.Entry{entry(t, "a", url, "1", "a"), entry(t, "a", url, "2", "b")}, "1", "a"},
		{"versions of one id, default", []*engine.Entry{entry(t, "a", url, "2", "a"), entry(t, "a", url, "1", "b")}, "", "a"},
		{"stored again", []*engine.Entry{entry(t, "a", url, "1", "a", stored), entry(t, "a", url, "2", "b", stored)}, "1", "unknown code system: http://example.org/s in version \"1\"; known versions: 2"},
		{"no ids", []*engine.Entry{entry(t, "", url, "1", "a"), entry(t, "", url, "2", "b")}, "1", "a"},
		{"content before none", []*engine.Entry{entry(t, "a", url, "1", "a"), entry(t, "b", url, "2", "b", notPresent)}, "", "a"},
		{"no version", []*engine.Entry{entry(t, "a", url, "", "a")}, "1", "unknown code system: http://example.org/s in version \"1\"; it has no version"},
	} {
		e := engine.New()
		publish(t, e, tt.entries...)
		if got := answers(e, url, tt.version); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWithdrawUncovers(t *testing.T) {
	e := engine.New()
	const url = "http://example.org/s"
	publish(t, e, entry(t, "a", url, "1", "built-in", builtIn))
	publish(t, e, entry(t, "a", url, "1", "loaded"))
	publish(t, e, entry(t, "a", url, "1", "stored", stored))
	if got := answers(e, url, "1"); got != "stored" {
		t.Error(got)
	}
	if list := e.Entries("CodeSystem"); len(list) != 1 || !list[0].Stored {
		t.Error("entries that are beaten are not listed")
	}
	e.Withdraw("CodeSystem", "a")
	if got := answers(e, url, ""); got != "loaded" {
		t.Error(got)
	}
	e.Withdraw("CodeSystem", "a") // nothing stored: nothing happens
	e.Withdraw("Patient", "a")
	if got, ok := e.Entry("CodeSystem", "a"); !ok || got.Stored || got.BuiltIn {
		t.Error(got)
	}
	if _, ok := e.Entry("CodeSystem", "b"); ok {
		t.Error("b was never there")
	}
	if _, ok := e.Entry("Patient", "a"); ok || e.Entries("Patient") != nil {
		t.Error("the engine has no patients")
	}
}

func TestIDs(t *testing.T) {
	e := engine.New()
	publish(t, e, entry(t, "", "http://example.org/a b/some_thing", "1", "x"), entry(t, "", "http://example.org/", "", "y"),
		entry(t, "z", "http://z", "1", "z1"), entry(t, "z", "http://z", "2", "z2"), entry(t, "same", "http://q", "1", "q"), entry(t, "other", "http://q", "1", "r", stored))
	var got []string
	for _, x := range e.Entries("CodeSystem") {
		got = append(got, x.Header.ID)
	}
	if len(got) != 5 || got[2] != "other" || got[3] != "z" || got[4] != "z" || !strings.HasPrefix(got[1], "something-") || !strings.HasPrefix(got[0], "x-") {
		t.Error(got)
	}
	if z, ok := e.Entry("CodeSystem", "z"); !ok || z.Header.Version != "2" {
		t.Error("an id stands for the default version")
	}
	e.Withdraw("CodeSystem", "other")
	if list := e.Entries("CodeSystem"); list[2].Header.ID != "same" || answers(e, "http://q", "1") != "q" {
		t.Error("what was beaten comes back")
	}
}

func TestEntriesOrder(t *testing.T) {
	e := engine.New()
	publish(t, e, entry(t, "c", "http://b", "1", "x"), entry(t, "b", "http://a", "10", "x"), entry(t, "a", "http://a", "9", "x"))
	var got []string
	for _, x := range e.Entries("CodeSystem") {
		got = append(got, x.Header.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Error(diff)
	}
	systems, err := e.Systems(context.Background())
	if err != nil || len(systems) != 3 || systems[0].Version() != "9" {
		t.Error(systems, err)
	}
}

func TestPublishRefuses(t *testing.T) {
	e := engine.New()
	cs := func() (*codesystem.Index, error) { return nil, nil }
	vs := func() (*r4.ValueSet, error) { return nil, nil }
	for _, bad := range []*engine.Entry{
		{Header: r4.Header{ResourceType: "Patient"}, CodeSystem: cs},
		{Header: r4.Header{ResourceType: "CodeSystem"}},
		{Header: r4.Header{ResourceType: "CodeSystem"}, ValueSet: vs},
		{Header: r4.Header{ResourceType: "CodeSystem"}, CodeSystem: cs, ValueSet: vs},
	} {
		if err := e.Publish(entry(t, "ok", "http://ok", "", "x"), bad); !errors.Is(err, engine.ErrInvalidResource) {
			t.Error(err)
		}
		if _, err := e.With(bad); !errors.Is(err, engine.ErrInvalidResource) {
			t.Error(err)
		}
	}
	if len(e.Entries("CodeSystem")) != 0 {
		t.Error("nothing is published on error")
	}
}

func TestLateContent(t *testing.T) {
	e := engine.New()
	var calls atomic.Int32
	var fail atomic.Bool
	fail.Store(true)
	x := build(t, r4.CodeSystem{Header: r4.Header{ID: "s", URL: "http://s"}}, c{code: "a"})
	late := engine.CodeSystemEntry(x, "test")
	late.CodeSystem = func() (*codesystem.Index, error) {
		calls.Add(1)
		if fail.Load() {
			return nil, errors.New("disk on fire")
		}
		return x, nil
	}
	publish(t, e, late)
	if calls.Load() != 0 {
		t.Error("publishing calls nothing")
	}
	if _, err := e.System("http://s", ""); err == nil {
		t.Error("the error comes through")
	}
	fail.Store(false)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := e.System("http://s", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := calls.Load(); n != 2 {
		t.Errorf("called %d times, want one failure and one success", n)
	}
}

// TestPublishWhileAsked replaces a system and its value set again and again while
// requests run: each answer must be of one state.
func TestPublishWhileAsked(t *testing.T) {
	e := engine.New()
	ctx := context.Background()
	state := func(n int) []*engine.Entry {
		concepts := make([]c, n)
		for i := range concepts {
			concepts[i] = c{code: fmt.Sprint("c", i)}
		}
		version := fmt.Sprint(n)
		return []*engine.Entry{
			engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "s", URL: "http://s", Version: version}, ValueSet: "http://s-all"}, concepts...), "test"),
			valueSet(fmt.Sprintf(`{"id":"v","url":"http://v","version":"%d","compose":{"include":[{"system":"http://s"}]}}`, n)),
		}
	}
	states := make([][]*engine.Entry, 6)
	for i := range states {
		states[i] = state(i + 1)
	}
	publish(t, e, states[0]...)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, url := range []string{"http://v", "http://s-all", "http://s?fhir_vs"} {
					r, err := e.Expand(ctx, &engine.ExpandRequest{URL: url})
					if err != nil {
						t.Error(err)
						return
					}
					used := r.Parameters[len(r.Parameters)-1].Value.Text
					if used != fmt.Sprintf("http://s|%d", r.Total) || url == "http://v" && r.ValueSet.Version != fmt.Sprint(r.Total) {
						t.Errorf("%s: %d codes of %s, value set %s", url, r.Total, used, r.ValueSet.Version)
						return
					}
				}
				if v, err := e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: "http://v", System: "http://s", Code: "c0"}); err != nil || !v.Result {
					t.Error(v, err)
					return
				}
			}
		})
	}
	for i := range 300 {
		publish(t, e, states[i%len(states)]...)
		if i%10 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	close(stop)
	wg.Wait()
}

func TestImportCyclesDoNotLock(t *testing.T) {
	e := engine.New()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	const n = 5
	for i := range n {
		publish(t, e, valueSet(fmt.Sprintf(`{"id":"v%d","url":"http://v/%d","compose":{"include":[{"valueSet":["http://v/%d"]}]}}`, i, i, (i+1)%n)))
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			_, err := e.Expand(ctx, &engine.ExpandRequest{URL: fmt.Sprintf("http://v/%d", i%n)})
			if !errors.Is(err, valueset.ErrImportCycle) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestPrepare(t *testing.T) {
	e := engine.New()
	ctx := context.Background()
	cs := `{"resourceType":"CodeSystem","id":"s","url":"http://s","version":"%s","status":"active","content":"complete","concept":[{"code":"%[1]s"}]}`
	do := func(typ, id, body string) {
		t.Helper()
		var doc []byte
		if body != "" {
			doc = []byte(body)
		}
		publish, err := e.Prepare(ctx, typ, id, doc)
		if err != nil {
			t.Fatal(err)
		}
		publish()
	}
	next, err := e.Prepare(ctx, "CodeSystem", "s", fmt.Appendf(nil, cs, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Entries("CodeSystem")) != 0 {
		t.Error("preparing changes nothing")
	}
	next()
	if got := answers(e, "http://s", ""); got != "1" {
		t.Error(got)
	}
	do("CodeSystem", "s", fmt.Sprintf(cs, "2"))
	if got := answers(e, "http://s", ""); got != "2" {
		t.Error(got)
	}
	if got, _ := e.Entry("CodeSystem", "s"); !got.Stored || got.Concepts != 1 {
		t.Errorf("%+v", got)
	} else if doc, err := got.Document(); err != nil || string(doc) != fmt.Sprintf(cs, "2") {
		t.Errorf("%s %v", doc, err)
	}
	do("ValueSet", "v", `{"resourceType":"ValueSet","url":"http://v","compose":{"include":[{"system":"http://not-there-yet"}]}}`)
	do("ValueSet", "w", `{"resourceType":"ValueSet","url":"http://w"}`)
	do("ConceptMap", "m", `{"resourceType":"ConceptMap","url":"http://m"}`)
	do("Patient", "p", `{"resourceType":"Patient"}`)
	if len(e.Entries("ValueSet")) != 2 || len(e.Entries("ConceptMap")) != 1 {
		t.Error("not published")
	}
	do("CodeSystem", "s", "")
	if len(e.Entries("CodeSystem")) != 0 {
		t.Error("not withdrawn")
	}
	var syntax *r4.SyntaxError
	for _, tt := range []struct {
		typ, body string
		want      error
	}{
		{"CodeSystem", `{"resourceType":"CodeSystem","concept":[{"code":"a"},{"code":"a"}]}`, codesystem.ErrDuplicateCode},
		{"CodeSystem", `{"resourceType":"CodeSystem","concept":[{"code":"a","property":[{"code":"parent","valueCode":"b"}]}]}`, codesystem.ErrUnknownParent},
		{"CodeSystem", `{"resourceType":"CodeSystem","concept":[{"code":"a","property":[{"code":"parent","valueCode":"b"}]},{"code":"b","property":[{"code":"parent","valueCode":"a"}]}]}`, codesystem.ErrCycle},
		{"CodeSystem", `{"resourceType":"ValueSet"}`, engine.ErrInvalidResource},
		{"CodeSystem", `{"resourceType":"Bundle","entry":[]}`, engine.ErrInvalidResource},
		{"CodeSystem", `{"resourceType":"CodeSystem","concept":[`, nil},
		{"ValueSet", `{"resourceType":"ValueSet","compose":{"include":[{}]}}`, valueset.ErrInvalidCompose},
		{"ValueSet", `{"resourceType":"ValueSet","compose":{"include":[{"system":"http://s"}],"exclude":[{"concept":[{"code":"a"}]}]}}`, valueset.ErrInvalidCompose},
		{"ValueSet", `{"resourceType":"ValueSet","compose":7}`, nil},
		{"ConceptMap", `{"resourceType":"ConceptMap","group":[{"element":[{"code":"a","target":[{"code":"b","equivalence":"sideways"}]}]}]}`, engine.ErrInvalidResource},
		{"ConceptMap", `{"resourceType":"ConceptMap","group":{}}`, nil},
	} {
		_, err := e.Prepare(ctx, tt.typ, "x", []byte(tt.body))
		if tt.want == nil && !errors.As(err, &syntax) || tt.want != nil && !errors.Is(err, tt.want) || !errors.Is(err, engine.ErrInvalidResource) {
			t.Errorf("%s: %v, want %v", tt.body, err, tt.want)
		}
	}
	if len(e.Entries("CodeSystem")) != 0 || len(e.Entries("ValueSet")) != 2 {
		t.Error("errors change nothing")
	}
}

func TestWith(t *testing.T) {
	e := zoo(t)
	ctx := context.Background()
	over, err := e.With(
		engine.CodeSystemEntry(build(t, r4.CodeSystem{Header: r4.Header{ID: "x", URL: colors}}, c{code: "mauve"}), "request"),
		valueSet(`{"id":"own","url":"http://example.org/vs/own","compose":{"include":[{"valueSet":["http://example.org/vs/pets"]},{"system":"http://example.org/colors"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := over.Expand(ctx, &engine.ExpandRequest{URL: "http://example.org/vs/own"})
	if err != nil || codes(r) != "cat dog mauve" {
		t.Error(codes(r), err)
	}
	if _, err := e.Expand(ctx, &engine.ExpandRequest{URL: "http://example.org/vs/own"}); !errors.Is(err, engine.ErrUnknownValueSet) {
		t.Error("the engine itself does not know it", err)
	}
	for range 2 { // sets of the one are not taken for those of the other
		for want, e := range map[string]*engine.Engine{"dog cat red cat": e, "dog cat mauve": over} {
			r, err := e.Expand(ctx, &engine.ExpandRequest{URL: mixed})
			if err != nil || codes(r) != want {
				t.Errorf("%s, %v; want %s", codes(r), err, want)
			}
		}
	}
}

// spy collects what an Observer hears.
type spy struct {
	mu    sync.Mutex
	heard []string
}

type spied struct{}

func (s *spy) Start(ctx context.Context, _ engine.Observed) context.Context {
	return context.WithValue(ctx, spied{}, true)
}

func (s *spy) Finish(ctx context.Context, op engine.Observed, took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, fmt.Sprintf("%s %s %v %v %v", op.Operation, op.Canonical, ctx.Value(spied{}), took >= 0, err != nil))
}

func TestObserver(t *testing.T) {
	var s spy
	e := zoo(t, engine.WithObserver(&s), engine.WithLogger(slog.New(slog.DiscardHandler)), engine.WithLogger(nil), engine.WithCacheBytes(0))
	ctx := context.Background()
	_, _ = e.Lookup(ctx, &engine.LookupRequest{System: animals, Code: "cat"})
	_, _ = e.Subsumes(ctx, &engine.SubsumesRequest{System: animals})
	_, _ = e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: pets, Code: "cat"})
	_, _ = e.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{URL: animals, Code: "cat"})
	_, _ = e.Expand(ctx, &engine.ExpandRequest{URL: pets})
	_, _ = e.MemberOf(ctx, &engine.MemberOfRequest{ValueSetURL: pets})
	_, _ = e.Translate(ctx, &engine.TranslateRequest{URL: "http://m"})
	_, _ = e.FindMatches(ctx, &engine.FindMatchesRequest{System: animals})
	_, _ = e.Explain(ctx, &engine.ExplainRequest{URL: pets, Code: "cat"})
	want := []string{
		"lookup " + animals + " true true false", "subsumes " + animals + " true true true", "validate-code " + pets + " true true false",
		"validate-code " + animals + " true true false", "expand " + pets + " true true false", "member-of " + pets + " true true true",
		"translate http://m true true true", "find-matches " + animals + " true true true", "explain " + pets + " true true false",
	}
	if diff := cmp.Diff(want, s.heard); diff != "" {
		t.Error(diff)
	}
}

// Every operation is observed once, and ends with the error of a context that ends in the midst of it.
func TestOperationsStop(t *testing.T) {
	var s spy
	e := zoo(t, engine.WithObserver(&s), engine.WithCacheBytes(0))
	publish(t, e, valueSet(`{"url":"http://v","compose":{"include":[{"valueSet":["`+pets+`"]},{"system":"`+colors+`","filter":[{"property":"code","op":"regex","value":"r.*"}]}]}}`),
		engine.CodeSystemEntry(animalSystem(t, "2.0.0"), "test"), engine.ConceptMapEntry(&r4.ConceptMap{Header: r4.Header{ResourceType: "ConceptMap", URL: "http://m"}}, "test"))
	edition := engine.CodeSystemEntry(expressiontest.Edition(t), "test")
	publish(t, e, append(engine.GrammarEntries(), edition)...)
	set := decodeValueSet(`{"compose":{"include":[{"system":"` + colors + `"}]}}`)
	units := func(codes ...string) *r4.ValueSet {
		return decodeValueSet(`{"compose":{"include":[{"system":"` + ucum + `","concept":[{"code":"` + strings.Join(codes, `"},{"code":"`) + `"}]}],"exclude":[{"system":"` + ucum + `","concept":[{"code":"mm.m"}]}]}}`)
	}
	for name, run := range map[string]func(context.Context) error{
		"codes-below " + animals: func(ctx context.Context) error { return failed(e.CodesBelow(ctx, animals, "pet", true)) },
		"codes-in http://v":      func(ctx context.Context) error { return failed(e.CodesIn(ctx, "http://v")) },
		"codes-of " + animals:    func(ctx context.Context) error { return failed(e.CodesOf(ctx, animals, `<< code#"pet"`)) },
		"compare http://v": func(ctx context.Context) error {
			return failed(e.Compare(ctx, &engine.CompareRequest{ThisURL: "http://v", OtherValueSet: set}))
		},
		"compare ": func(ctx context.Context) error {
			return failed(e.Compare(ctx, &engine.CompareRequest{ThisValueSet: units("kg.m4/s2", "cm.m"), OtherValueSet: units("cm.m")}))
		},
		"member-of http://v": func(ctx context.Context) error {
			return failed(e.MemberOf(ctx, &engine.MemberOfRequest{ValueSetURL: "http://v", System: colors, Code: "red"}))
		},
		"subsumes " + sct: func(ctx context.Context) error {
			publish(t, e, edition) // as if nobody had asked before
			return failed(e.Subsumes(ctx, &engine.SubsumesRequest{System: sct, CodeA: expressiontest.Codes()["asthma"], CodeB: expressiontest.Write(severeAsthma)}))
		},
		"expand http://v": func(ctx context.Context) error { return failed(e.Expand(ctx, &engine.ExpandRequest{URL: "http://v"})) },
		"explain http://v": func(ctx context.Context) error {
			return failed(e.Explain(ctx, &engine.ExplainRequest{URL: "http://v", Code: "cat"}))
		},
		"find-matches " + animals: func(ctx context.Context) error {
			return failed(e.FindMatches(ctx, &engine.FindMatchesRequest{System: animals, ValueSet: "http://v", Properties: []codesystem.Property{p("parent", r4.Code("pet"))}}))
		},
		"impact " + animals: func(ctx context.Context) error {
			return failed(e.Impact(ctx, &engine.ImpactRequest{Old: animals + "|1.0.0", New: animals}))
		},
		"translate ": func(ctx context.Context) error {
			return failed(e.Translate(ctx, &engine.TranslateRequest{Code: "cat", System: animals, TargetSystem: colors}))
		},
		"validate-code http://v": func(ctx context.Context) error {
			return failed(e.ValidateCode(ctx, &engine.ValidateCodeRequest{URL: "http://v", Code: "cat", System: animals}))
		},
	} {
		for looks := range 12 {
			s.heard = nil
			ctx := contexttest.After(context.Background(), looks)
			if err := run(ctx); ctx.Seen() && !errors.Is(err, context.Canceled) || len(s.heard) != 1 || s.heard[0] != fmt.Sprintf("%s true true %v", name, err != nil) {
				t.Errorf("%s, stopped after %d looks: %v; observed %q", name, looks, err, s.heard)
			}
		}
	}
}

func failed[T any](_ T, err error) error { return err }
