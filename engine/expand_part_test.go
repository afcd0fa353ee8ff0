package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

const steps = "http://example.org/steps"

// ladder is a tree of n codes: a root, and the others below it.
func ladder(t testing.TB, n int) *codesystem.Index {
	concepts := make([]c, n)
	concepts[0] = c{code: "s0", display: "Step 0"}
	for i := 1; i < n; i++ {
		concepts[i] = c{code: fmt.Sprint("s", i), display: fmt.Sprint("Step ", i), parents: parents("s0")}
	}
	return build(t, r4.CodeSystem{Header: r4.Header{URL: steps, Version: "1", Status: "active"}, Content: "complete"}, concepts...)
}

// paging writes what an expansion says about its size and form: how many codes of how many, whether
// they are nested, and the parameters about them.
func paging(r *engine.ExpandResult) string {
	nested := "flat"
	for i := range r.Entries {
		if r.Entries[i].Depth > 0 {
			nested = "nested"
		}
	}
	var list []string
	for _, p := range r.Parameters {
		switch p.Name {
		case "offset", "count", "limit", "excludeNested":
			list = append(list, p.Name+"="+p.Value.Text)
		}
	}
	text := fmt.Sprintf("%d of %d %s", len(r.Entries), r.Total, nested)
	if r.Paged {
		text += fmt.Sprint(" from ", r.Offset)
	}
	if r.Incomplete {
		text += " incomplete"
	}
	return strings.TrimSpace(text + " " + strings.Join(list, " "))
}

// TestDefect17Parts expands a tree of 148 codes with all parameters about the size and the form of an
// expansion, under both rules. Nothing that a request states is ignored without notice.
func TestDefect17Parts(t *testing.T) {
	e := engine.New(engine.WithExpandLimit(200), engine.WithMaxCount(1000))
	publish(t, e, engine.CodeSystemEntry(ladder(t, 148), "test"))
	small := engine.New(engine.WithExpandLimit(120), engine.WithMaxCount(140))
	publish(t, small, engine.CodeSystemEntry(ladder(t, 148), "test"))
	whole := engine.New(engine.WithDefaultCount(0))
	publish(t, whole, engine.CodeSystemEntry(ladder(t, 148), "test"))
	const costly = "too costly"
	for _, tt := range []struct {
		name                string
		engine              *engine.Engine
		req                 engine.ExpandRequest
		clinical, ecosystem string
	}{
		{"nothing stated", e, engine.ExpandRequest{}, "100 of 148 flat from 0 offset=0 count=100", "148 of 148 nested"},
		{"nested", e, engine.ExpandRequest{ExcludeNested: ptr(false)}, "148 of 148 nested excludeNested=false", "148 of 148 nested excludeNested=false"},
		{"flat", e, engine.ExpandRequest{ExcludeNested: ptr(true)}, "100 of 148 flat from 0 offset=0 count=100 excludeNested=true", "148 of 148 flat excludeNested=true"},
		{"a page that cannot be nested", e, engine.ExpandRequest{ExcludeNested: ptr(false), Count: ptr(10)}, "10 of 148 flat count=10 excludeNested=true", "10 of 148 flat count=10 excludeNested=true"},
		{"a page of all, nested", e, engine.ExpandRequest{ExcludeNested: ptr(false), Count: ptr(148)}, "148 of 148 nested count=148 excludeNested=false", "148 of 148 nested count=148 excludeNested=false"},
		{"the total, nested", e, engine.ExpandRequest{ExcludeNested: ptr(false), Count: ptr(0)}, "0 of 148 flat count=0 excludeNested=false", "0 of 148 flat count=0 excludeNested=false"},
		{"the rest, nested", e, engine.ExpandRequest{ExcludeNested: ptr(false), Offset: ptr(100)}, "48 of 148 flat from 100 offset=100 excludeNested=true", "48 of 148 flat from 100 offset=100 excludeNested=true"},
		{"a text, nested", e, engine.ExpandRequest{ExcludeNested: ptr(false), Filter: "step 14"}, "9 of 9 flat excludeNested=true", "9 of 9 flat excludeNested=true"},
		{"from the second on", e, engine.ExpandRequest{Offset: ptr(1)}, "100 of 148 flat from 1 offset=1", "147 of 148 flat from 1 offset=1"},
		{"from the first on", e, engine.ExpandRequest{Offset: ptr(0)}, "100 of 148 flat from 0 offset=0", "148 of 148 nested from 0 offset=0"},
		{"near the end", e, engine.ExpandRequest{Offset: ptr(140)}, "8 of 148 flat from 140 offset=140", "8 of 148 flat from 140 offset=140"},
		{"past the end", e, engine.ExpandRequest{Offset: ptr(500)}, "0 of 148 flat from 500 offset=500", "0 of 148 flat from 500 offset=500"},
		{"a page", e, engine.ExpandRequest{Offset: ptr(10), Count: ptr(5)}, "5 of 148 flat from 10 offset=10 count=5", "5 of 148 flat from 10 offset=10 count=5"},
		{"a limit that is too low", e, engine.ExpandRequest{Limit: ptr(147)}, costly, costly},
		{"a limit that is enough", e, engine.ExpandRequest{Limit: ptr(148)}, "148 of 148 flat", "148 of 148 nested"},
		{"a limit that is too low, incomplete", e, engine.ExpandRequest{Limit: ptr(20), IncompleteOK: true}, "20 of 148 flat incomplete limit=20", "20 of 148 flat incomplete limit=20"},
		{"a limit that is enough, incomplete", e, engine.ExpandRequest{Limit: ptr(148), IncompleteOK: true}, "148 of 148 flat", "148 of 148 nested"},
		{"a limit and a page", e, engine.ExpandRequest{Limit: ptr(20), Count: ptr(30)}, "30 of 148 flat count=30", "30 of 148 flat count=30"},
		{"a limit of what is left", e, engine.ExpandRequest{Limit: ptr(20), Offset: ptr(130)}, "18 of 148 flat from 130 offset=130", "18 of 148 flat from 130 offset=130"},
		{"a limit of what is left that is too low", e, engine.ExpandRequest{Limit: ptr(20), Offset: ptr(120)}, costly, costly},
		{"a limit of hits", e, engine.ExpandRequest{Limit: ptr(9), Filter: "step 14"}, "9 of 9 flat", "9 of 9 flat"},
		{"a limit of hits that is too low", e, engine.ExpandRequest{Limit: ptr(8), Filter: "step 14"}, costly, costly},
		{"above the setting", small, engine.ExpandRequest{}, "100 of 148 flat from 0 offset=0 count=100", costly},
		{"above the setting, nested", small, engine.ExpandRequest{ExcludeNested: ptr(false)}, costly, costly},
		{"above the setting, incomplete", small, engine.ExpandRequest{IncompleteOK: true}, "100 of 148 flat from 0 offset=0 count=100", "120 of 148 flat incomplete limit=120"},
		{"above the setting, nested, incomplete", small, engine.ExpandRequest{IncompleteOK: true, ExcludeNested: ptr(false)}, "120 of 148 flat incomplete limit=120 excludeNested=true", "120 of 148 flat incomplete limit=120 excludeNested=true"},
		{"above the bound", small, engine.ExpandRequest{Limit: ptr(148)}, costly, costly},
		{"above the bound, incomplete", small, engine.ExpandRequest{Limit: ptr(1 << 30), IncompleteOK: true}, "140 of 148 flat incomplete limit=140", "140 of 148 flat incomplete limit=140"},
		{"without a default page", whole, engine.ExpandRequest{}, "148 of 148 flat", "148 of 148 nested"},
	} {
		for rules, want := range map[engine.Rules]string{engine.Clinical: tt.clinical, engine.Ecosystem: tt.ecosystem} {
			req := tt.req
			req.URL = steps + "?fhir_vs"
			r, err := tt.engine.Under(rules).Expand(context.Background(), &req)
			got := costly
			if err == nil {
				got = paging(r)
				if has := strings.Contains(string(r.AppendJSON(nil)), `{"url":"http://hl7.org/fhir/StructureDefinition/valueset-toocostly","valueBoolean":true}`); has != r.Incomplete {
					t.Errorf("%s under %v rules: extension valueset-toocostly: %v", tt.name, rules, has)
				}
			} else if !errors.Is(err, engine.ErrTooCostly) {
				t.Errorf("%s under %v rules: %v", tt.name, rules, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s under %v rules: %s", tt.name, rules, diff)
			}
		}
	}
}

// TestTooCostlySaysWhatHelps checks that the error names the numbers and a remedy that works.
func TestTooCostlySaysWhatHelps(t *testing.T) {
	for _, tt := range []struct {
		name string
		e    *engine.Engine
		says string
	}{
		{"with a bound", engine.New(engine.WithExpandLimit(20)), "148, and the limit is 20; ask for pages with count, or for a part with incomplete-ok=true, or raise limit up to 1000000"},
		{"without a bound", engine.New(engine.WithExpandLimit(20), engine.WithMaxCount(0)), "148, and the limit is 20; ask for pages with count, or for a part with incomplete-ok=true, or raise limit"},
		{"at the bound", engine.New(engine.WithExpandLimit(20), engine.WithMaxCount(20)), "148, and the limit is 20; ask for pages with count, or for a part with incomplete-ok=true"},
	} {
		publish(t, tt.e, engine.CodeSystemEntry(ladder(t, 148), "test"))
		_, err := tt.e.Under(engine.Ecosystem).Expand(context.Background(), &engine.ExpandRequest{URL: steps + "?fhir_vs"})
		outcome, ok := errors.AsType[engine.OutcomeError](err)
		if !ok || !strings.HasSuffix(outcome.Issues()[0].Diagnostics, tt.says) || outcome.Class() != issue.ClassUnprocessable {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, limit := range []int{0, -1} {
		_, err := zoo(t).Expand(context.Background(), &engine.ExpandRequest{URL: pets, Limit: &limit})
		if !errors.Is(err, engine.ErrInvalidParameter) || !strings.Contains(err.Error(), "limit") {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// TestPartsAreOfOneExpansion checks that pages, incomplete and whole expansions of any tree have the
// same codes in the same order, under both rules.
func TestPartsAreOfOneExpansion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := drawGraph(rt)
		e := engine.New()
		publish(t, e, engine.CodeSystemEntry(g.build(t), "test"))
		url := animals + "?fhir_vs"
		expand := func(rules engine.Rules, req engine.ExpandRequest) (*engine.ExpandResult, error) {
			req.URL = url
			return e.Under(rules).Expand(context.Background(), &req)
		}
		all, err := expand(engine.Clinical, engine.ExpandRequest{Limit: ptr(1000), ExcludeNested: ptr(true)})
		if err != nil {
			rt.Fatal(err)
		}
		want := strings.Fields(codes(all))
		for _, rules := range []engine.Rules{engine.Clinical, engine.Ecosystem} {
			offset, limit := rapid.IntRange(0, len(want)).Draw(rt, "offset"), rapid.IntRange(1, len(want)+1).Draw(rt, "limit")
			end := min(offset+limit, len(want))
			page, err := expand(rules, engine.ExpandRequest{Offset: &offset, Count: &limit, ExcludeNested: ptr(true)})
			if err != nil || codes(page) != strings.Join(want[offset:end], " ") || page.Incomplete {
				rt.Fatalf("page: %v %v", page, err)
			}
			part, err := expand(rules, engine.ExpandRequest{Offset: &offset, Limit: &limit, IncompleteOK: true, ExcludeNested: ptr(true)})
			if err != nil || codes(part) != codes(page) || part.Total != len(want) || part.Incomplete != (end < len(want)) {
				rt.Fatalf("part: %v %v", part, err)
			}
			if _, err := expand(rules, engine.ExpandRequest{Offset: &offset, Limit: &limit}); (err == nil) == part.Incomplete || err != nil && !errors.Is(err, engine.ErrTooCostly) {
				rt.Fatalf("%d codes from %d on within %d: %v", len(want), offset, limit, err)
			}
		}
	})
}

func TestLoad(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.json", `{"resourceType":"CodeSystem","id":"a","url":"http://example.org/a","content":"complete","concept":[{"code":"x","display":"Ex"}]}`)
	write("b.json", `{"resourceType":"ValueSet","id":"b","url":"http://example.org/b","compose":{"include":[{"system":"http://example.org/a"}]}}`)
	write("c.json", `{"resourceType":"ConceptMap","id":"c","url":"http://example.org/c","group":[{"source":"http://example.org/a","target":"http://example.org/z","element":[{"code":"x","target":[{"code":"y","equivalence":"equal"}]}]}]}`)
	eng := engine.New()
	if err := eng.Load(ctx, folder); err != nil {
		t.Fatal(err)
	}
	member, err := eng.MemberOf(ctx, &engine.MemberOfRequest{Code: "x", System: "http://example.org/a", ValueSetURL: "http://example.org/b"})
	if err != nil || !member.Yes() {
		t.Errorf("member-of: %v, %v", member, err)
	}
	mapped, err := eng.Translate(ctx, &engine.TranslateRequest{Code: "x", System: "http://example.org/a"})
	if err != nil || !mapped.Yes() {
		t.Errorf("translate: %v, %v", mapped, err)
	}
	entry, ok := eng.Entry("ValueSet", "b")
	if !ok || entry.Origin != "b.json" {
		t.Errorf("entry %v, %v", entry, ok)
	}

	write("d.json", `{"resourceType":"CodeSystem","id":"d","url":"http://example.org/d","content":"complete","concept":[{"code":"x"},{"code":"x"}]}`)
	again := engine.New()
	if err := again.Load(ctx, folder); !errors.Is(err, codesystem.ErrDuplicateCode) {
		t.Errorf("error %v, want a duplicate code", err)
	}
	if n := len(again.Entries("CodeSystem")); n != 0 {
		t.Errorf("%d code systems are published after an error", n)
	}
}

// containing returns the ids of the value sets with a code, and the rest of the answer.
func containing(t *testing.T, e *engine.Engine, req engine.ContainingRequest) (string, *engine.ContainingResult) {
	t.Helper()
	r, err := e.Containing(context.Background(), &req)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(r.Entries))
	for i, entry := range r.Entries {
		ids[i] = entry.Header.ID
	}
	return strings.Join(ids, " "), r
}

func TestContaining(t *testing.T) {
	e := zoo(t)
	basic := valueSet(`{"id":"basic","url":"http://a.example.org/vs/basic","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`)
	basic.BuiltIn = true
	publish(t, e, basic,
		valueSet(`{"id":"pets-6","url":"http://example.org/vs/pets","version":"6","status":"active","compose":{"include":[{"system":"http://example.org/animals"}]}}`),
		valueSet(`{"id":"imports","url":"http://example.org/vs/imports","status":"active","compose":{"include":[{"valueSet":["http://example.org/vs/mixed"]}]}}`),
		valueSet(`{"id":"listed","url":"http://example.org/vs/listed","status":"active","expansion":{"contains":[{"system":"http://example.org/colors","code":"green"}]}}`),
	)
	for _, tt := range []struct {
		code, system, version string
		limit                 int
		ids                   string
		more                  bool
		failed                int
	}{
		{"cat", animals, "", 10, "imports mixed pets basic", false, 0}, // built in comes last, and of pets the default version counts
		{"CAT", animals, "1.0.0", 10, "imports mixed pets basic", false, 0},
		{"cat", animals, "9", 10, "", false, 0},
		{"cat", animals, "", 2, "imports mixed", true, 0},
		{"animal", animals, "", 10, "basic", false, 0},
		{"red", colors, "", 10, "imports mixed", false, 1}, // one needs a code system that is missing
		{"green", colors, "", 10, "listed", false, 1},
		{"unicorn", animals, "", 10, "", false, 0},
		{"x", "http://nowhere", "", 10, "", false, 0},
	} {
		ids, r := containing(t, e, engine.ContainingRequest{Code: tt.code, System: tt.system, Version: tt.version, Limit: tt.limit})
		if ids != tt.ids || r.More != tt.more || r.Failed != tt.failed {
			t.Errorf("%s in %s|%s: %q, more %v, failed %d, want %q, %v, %d", tt.code, tt.system, tt.version, ids, r.More, r.Failed, tt.ids, tt.more, tt.failed)
		}
	}
}

func TestContainingErrors(t *testing.T) {
	e := zoo(t)
	for _, req := range []engine.ContainingRequest{{System: animals}, {Code: "cat"}} {
		if _, err := e.Containing(context.Background(), &req); !errors.Is(err, engine.ErrMissingParameter) {
			t.Errorf("%+v: %v, want ErrMissingParameter", req, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Containing(ctx, &engine.ContainingRequest{System: animals, Code: "cat", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v, want context.Canceled", err)
	}
}

func TestLanguagePacks(t *testing.T) {
	e := zoo(t)
	supplement := func(id, extension string) *engine.Entry {
		return engine.CodeSystemEntry(build(t, r4.CodeSystem{
			Header:  r4.Header{ID: id, URL: "http://example.org/" + id, Language: "de", Extension: json.RawMessage(extension)},
			Content: "supplement", Supplements: animals,
		}, c{code: "cat", display: "Katze"}), "test")
	}
	publish(t, e, supplement("notes", ""),
		supplement("german", `[{"url":"http://hl7.org/fhir/StructureDefinition/codesystem-supplement-type","valueCode":"lang-pack"}]`))
	for _, tt := range []struct {
		system string
		packs  int
	}{{animals, 1}, {colors, 0}} {
		x, err := e.System(tt.system, "")
		if err != nil {
			t.Fatal(err)
		}
		packs, err := e.LanguagePacks(x)
		if err != nil || len(packs) != tt.packs || tt.packs > 0 && packs[0].URL() != "http://example.org/german" {
			t.Errorf("%s has %d packs, %v, want %d", tt.system, len(packs), err, tt.packs)
		}
	}
}
