package search_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// TestCursorOfAnotherSearch checks that cursors of other searches and malformed cursors are
// refused.
func TestCursorOfAnotherSearch(t *testing.T) {
	w := newWorld(t)
	s := search.New(definitions.R4())
	page, err := s.Search(t.Context(), w, query(t, s, "Observation?status=final", param("_count", 2)))
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	for _, row := range []struct {
		text, cursor string
		ok           bool
	}{
		{"Observation?status=final", page.Next, true},
		{"Observation?status=amended", page.Next, false},
		{"Observation?status=final&_sort=date", page.Next, false},
		{"Patient?status=final", page.Next, false},
		{"Observation?status=final", page.Next[1:], false},
		{"Observation?status=final", "nonsense", false},
	} {
		q, err := s.Parse(row.text[:bytes.IndexByte([]byte(row.text), '?')], []search.Param{{Name: "status", Value: "final"}}, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if row.text[:7] != "Patient" {
			q = query(t, s, row.text)
		}
		q.Cursor = row.cursor
		_, err = s.Search(t.Context(), w, q)
		var wrong *search.Error
		if row.ok != (err == nil) || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s with %.20s: %v", row.text, row.cursor, err)
		}
	}
}

// TestSearchCodes compares searches for sets of codes of a hierarchy, of all sizes, with a full
// scan.
func TestSearchCodes(t *testing.T) {
	const system = "http://example.org/tree"
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{ResourceType: "CodeSystem", URL: system, Status: "active"}, Content: "complete"})
	for n := range 300 {
		c := codesystem.Concept{Code: fmt.Sprint(n), Parent: -1}
		if n > 0 {
			c.Properties = []codesystem.Property{{Code: "parent", Value: r4.Code(fmt.Sprint((n - 1) / 4))}}
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New()
	if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	w := &world{Reader: searchtest.NewReader(definitions.R4()), at: time.UnixMilli(1_700_000_000_000)}
	put := func(n int) {
		w.at = w.at.Add(time.Second)
		code := n * n % 307
		if n >= 1000 {
			code = (n/100*59 + n%100) % 300
		}
		body := fmt.Appendf(nil, `{"resourceType":"Observation","id":"o%d","status":"final","code":{"coding":[%s{"system":%q,"code":"%d"}]}}`, n, []string{"", `{"system":"http://example.org/tree","code":"7"},`}[n%4/3], []string{system, "http://example.org/other"}[n%9/8], code)
		if _, err := w.Add(body, w.at); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 400 {
		put(n)
	}
	var texts []string
	for _, code := range []int{0, 1, 3, 9, 20, 75, 150} {
		texts = append(texts,
			fmt.Sprintf("Observation?code:below=%s|%d", system, code), fmt.Sprintf("Observation?code:above=%s|%d", system, code),
			fmt.Sprintf("Observation?code:in=%s?fhir_vs=isa/%d", system, code), fmt.Sprintf("Observation?code:not-in=%s?fhir_vs=isa/%d", system, code),
			fmt.Sprintf("Observation?code:ecl=%s|< code#%d", system, code), fmt.Sprintf("Observation?code:below=%s|%d,%s|7&_sort=code", system, code, system))
	}
	var got []int
	for i, tight := range []int{0, 1, 5, 0, 1, 5} {
		s := search.New(definitions.R4(), search.WithTerminology(e), search.WithLimits(search.Limits{Columns: int64(i/3*1000_000 - 1)}))
		if tight > 0 {
			s.Tighten(tight)
		}
		if tight == 5 {
			if err := s.Warm(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 2 { // in the second, tokens are new
			cost := 0
			for _, text := range texts {
				q := codeQuery(t, s, text)
				want, err := search.FullScan(t.Context(), q, search.NewEnv(definitions.R4(), e, w, w.At()))
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				m := &meter{Reader: w.Reader}
				page, err := s.Search(t.Context(), m, q)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				cost += m.cost
				if got := names(page.Matches); !slices.Equal(got, names(want)[:min(len(want), q.Count)]) {
					t.Errorf("%s, tight %d, round %d: %d matches of %d", text, tight, round, len(got), len(want))
				}
			}
			got = append(got, cost)
			for n := range 30 {
				put(1000*(i+1) + 100*round + n)
			}
		}
	}
	if want := []int{129319, 138020, 371260, 395041, 226331, 237455, 29406, 23046, 31197, 24132, 33048, 25209}; !slices.Equal(got, want) {
		t.Errorf("the searches cost %d, not %d", got, want)
	}
}

// codeQuery is query for values that contain =.
func codeQuery(t testing.TB, s *search.Searcher, text string) *search.Query {
	t.Helper()
	var params []search.Param
	for part := range bytes.SplitSeq([]byte(text[len("Observation?"):]), []byte("&")) {
		name, value, _ := bytes.Cut(part, []byte("="))
		params = append(params, search.Param{Name: string(name), Value: string(value)})
	}
	q, err := s.Parse("Observation", append(params, param("_count", 500)), search.Options{Strict: true})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q
}

// TestURLsBelowUseTheIndex checks that the URLs in use, and not all resources, are searched for those
// that begin with another one.
func TestURLsBelowUseTheIndex(t *testing.T) {
	r := searchtest.NewReader(definitions.R4())
	for i := range 5_000 {
		host := "often"
		if i < 3 {
			host = "seldom"
		}
		body := fmt.Appendf(nil, `{"resourceType":"Library","id":"l%d","url":"http://%s.example/l%d"}`, i, host, i)
		if _, err := r.Add(body, time.Date(2024, 1, 1, 0, 0, i, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	s := search.New(definitions.R4(), search.WithLimits(search.Limits{Columns: -1}))
	q, err := s.Parse("Library", []search.Param{{Name: "url:below", Value: "http://seldom.example"}}, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counted := &meter{Reader: r}
	page, err := s.Search(t.Context(), counted, q)
	if err != nil || len(page.Matches) != 3 || counted.cost > 13_000 {
		t.Errorf("%d matches, a cost of %d: %v", len(page.Matches), counted.cost, err)
	}
}
