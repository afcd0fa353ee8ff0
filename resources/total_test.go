package resources_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// TestTotals checks that every page has a total: exact with columns, and without them if it is asked
// for, without criteria, or if few resources match, and otherwise an estimate, as the self link says.
func TestTotals(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		testTotals(t, resources.NewService(store, nil, resources.WithColumnBytes(-1)), true)
	})
	onStores(t, func(t *testing.T, store resources.Store) { testTotals(t, resources.NewService(store, nil), false) })
}

func testTotals(t *testing.T, s *resources.Service, estimates bool) {
	const n = 4_000
	items := make([]resources.LoadItem, n)
	for i := range items {
		items[i].Body = fmt.Appendf(nil, `{"resourceType":"Observation","id":"o%d","status":%q,"code":{"coding":[{"code":"c%d"}]}}`, i, []string{"final", "amended"}[i%2], i%100)
	}
	if _, err := s.Load(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	check := func(text string, want int, estimated bool) *search.Page {
		t.Helper()
		page, err := s.Search(t.Context(), resources.SearchRequest{Type: "Observation", Params: query(t, text), Options: search.Options{DefaultCount: 10}})
		if err != nil {
			t.Fatal(err)
		}
		says := slices.Contains(page.Self, search.Param{Name: "_total", Value: "estimate"})
		switch {
		case page.Total == nil || says != (estimated && (estimates || strings.Contains(text, "=estimate"))):
			t.Errorf("%s: total %v, self %v", text, page.Total, page.Self)
		case (!estimated || !estimates) && *page.Total != want, *page.Total < want*9/10 || *page.Total > want*11/10:
			t.Errorf("%s: %d, want %d", text, *page.Total, want)
		}
		return page.Page
	}
	for round := range 2 {
		check("", n, false)
		check("status=final", n/2, round == 0) // later the exact one is known
		check("status:not=final", n/2, round == 0)
		check("status=final&_sort=_id", n/2, false) // all are read to sort them
		check("code=c7", n/100, false)
		check("code=c7,c8&status=final", n/100, false)
		check("status=final&_total=accurate", n/2, false)
		check("_total=accurate", n, false)
		check("status:not=final&_summary=count", n/2, false)
		check("status=final&_count=0", n/2, false)
	}
	page := check("status:missing=false", n, true)
	next := check("status:missing=false&_total=estimate&_cursor="+page.Next, n, true)
	if *next.Total != *page.Total {
		t.Errorf("the next page has %d, the first %d", *next.Total, *page.Total)
	}
	if _, err := s.Delete(t.Context(), "Observation", "o0", resources.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	check("", n-1, false)
	check("status=final&_total=accurate", n/2-1, false)
	for i, status := range []string{"final", "amended"} {
		body := fmt.Appendf(nil, `{"resourceType":"Observation","id":"o0","status":%q,"code":{"text":"x"}}`, status)
		if _, err := s.Update(t.Context(), "Observation", "o0", body, resources.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		check("", n, false)
		check("status=final&_total=accurate", n/2-i, false)
	}
	if _, err := s.Load(t.Context(), items[:300]); err != nil { // more than are counted one by one
		t.Fatal(err)
	}
	check("_summary=count", n, false)
}
