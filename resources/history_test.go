package resources_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// TestHistoryLevels pages through the history of a resource, of a type and of the system, with
// _since and _at.
func TestHistoryLevels(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		now := start
		service := resources.NewService(store, nil, resources.WithClock(func() time.Time { return now }))
		step := func(typ, id, body string) {
			t.Helper()
			var err error
			if body == "" {
				_, err = service.Delete(t.Context(), typ, id, resources.UpdateOptions{})
			} else {
				_, err = service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Hour)
		}
		step("Patient", "a", string(patient("a", "1", "One")))                                                         // 0 h
		step("Patient", "b", string(patient("b", "2", "Two")))                                                         // 1 h
		step("Observation", "o", `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"}}`)       // 2 h
		step("Patient", "a", string(patient("a", "1", "Changed")))                                                     // 3 h
		step("Observation", "o", "")                                                                                   // 4 h
		step("Observation", "o", `{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x again"}}`) // 5 h
		plain := resources.NewService(struct {
			resources.Store
			resources.Historian
		}{store, store.(resources.Historian)}, nil)
		at := func(hour int) time.Time { return start.Add(time.Duration(hour) * time.Hour) }
		for _, tt := range []struct {
			name string
			r    resources.HistoryRequest
			want []string
		}{
			{"all", resources.HistoryRequest{}, []string{"Observation/o 3", "Observation/o 2 deleted", "Patient/a 2", "Observation/o 1", "Patient/b 1", "Patient/a 1"}},
			{"type", resources.HistoryRequest{Type: "Patient"}, []string{"Patient/a 2", "Patient/b 1", "Patient/a 1"}},
			{"resource", resources.HistoryRequest{Type: "Patient", ID: "a"}, []string{"Patient/a 2", "Patient/a 1"}},
			{"with a deletion", resources.HistoryRequest{Type: "Observation", ID: "o"}, []string{"Observation/o 3", "Observation/o 2 deleted", "Observation/o 1"}},
			{"since", resources.HistoryRequest{Since: at(3)}, []string{"Observation/o 3", "Observation/o 2 deleted", "Patient/a 2"}},
			{"since later than all", resources.HistoryRequest{Since: at(9)}, nil},
			{"at", resources.HistoryRequest{At: &resources.Period{From: at(2), To: at(3)}}, []string{"Observation/o 1", "Patient/b 1", "Patient/a 1"}},
			{"at a change", resources.HistoryRequest{Type: "Patient", ID: "a", At: &resources.Period{From: at(2), To: at(4)}}, []string{"Patient/a 2", "Patient/a 1"}},
			{"resource since", resources.HistoryRequest{Type: "Patient", ID: "a", Since: at(3)}, []string{"Patient/a 2"}},
			{"resource at, before its change", resources.HistoryRequest{Type: "Patient", ID: "a", At: &resources.Period{From: at(1), To: at(3)}}, []string{"Patient/a 1"}},
			{"resource at, after its change", resources.HistoryRequest{Type: "Patient", ID: "a", At: &resources.Period{From: at(3), To: at(4)}}, []string{"Patient/a 2"}},
			{"at, before all", resources.HistoryRequest{At: &resources.Period{From: at(-2), To: at(-1)}}, nil},
			{"type that has none", resources.HistoryRequest{Type: "Encounter"}, nil},
		} {
			for _, count := range []int{0, 1, 2, 100} {
				var got []string
				r := tt.r
				r.Count = count
				for {
					page, err := service.History(t.Context(), r)
					if err != nil {
						t.Fatalf("%s: %v", tt.name, err)
					}
					if count > 0 && len(page.Versions) > count {
						t.Errorf("%s: %d on a page of %d", tt.name, len(page.Versions), count)
					}
					if page.Total != nil && *page.Total != len(tt.want) || (page.Total == nil) != (r.ID == "") {
						t.Errorf("%s: total %v", tt.name, page.Total)
					}
					for i, v := range page.Versions {
						text := fmt.Sprint(v.Key, " ", v.VersionID)
						if page.Created[i] != (v.VersionID == 1 || text == "Observation/o 3") {
							t.Errorf("%s: %s created: %v", tt.name, text, page.Created[i])
						}
						if v.Deleted {
							text += " deleted"
						} else if len(v.Body) == 0 {
							t.Errorf("%s: %s has no body", tt.name, text)
						}
						got = append(got, text)
					}
					if r.Cursor = page.Next; r.Cursor == "" {
						break
					}
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s, pages of %d (-want +got):\n%s", tt.name, count, diff)
				}
			}
			if tt.r.ID == "" {
				continue
			}
			want, _ := service.History(t.Context(), tt.r)
			if got, err := plain.History(t.Context(), tt.r); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s, of a plain store: %v %s", tt.name, err, cmp.Diff(want, got))
			}
		}
		for _, cursor := range []string{"x!", "-5", "0", "zzzzzzzzzzzzzzzzzzzzz"} {
			if _, err := service.History(t.Context(), resources.HistoryRequest{Cursor: cursor}); !errors.Is(err, resources.ErrBadCursor) {
				t.Errorf("cursor %q: %v", cursor, err)
			}
		}
		if _, err := service.History(t.Context(), resources.HistoryRequest{Type: "Patient", ID: "none"}); !errors.Is(err, resources.ErrNotFound) {
			t.Errorf("unknown id: %v", err)
		}
	})
}

// TestHistoryOfPlainStore checks that a store that cannot be searched has the same history pages of
// a resource, and no other histories.
func TestHistoryOfPlainStore(t *testing.T) {
	f := newFixture(t)
	for n := range 5 {
		f.update("a", fmt.Sprintf(`{"resourceType":"CodeSystem","id":"a","n":%d}`, n))
	}
	plain := resources.NewService(struct {
		resources.Store
		resources.Historian
	}{f.store, f.store}, nil)
	var got []int64
	r := resources.HistoryRequest{Type: "CodeSystem", ID: "a", Count: 2}
	for {
		page, err := plain.History(t.Context(), r)
		if err != nil || *page.Total != 5 {
			t.Fatalf("%v, %v", page.Total, err)
		}
		for _, v := range page.Versions {
			got = append(got, v.VersionID)
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			break
		}
	}
	if diff := cmp.Diff([]int64{5, 4, 3, 2, 1}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := plain.History(t.Context(), resources.HistoryRequest{Type: "CodeSystem"}); !errors.Is(err, resources.ErrNoHistory) {
		t.Errorf("of a type: %v", err)
	}
	for name, err := range map[string]error{
		"search":      second(plain.Search(t.Context(), resources.SearchRequest{Type: "Patient"})),
		"everything":  second(plain.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "a"})),
		"transaction": second(plain.Transaction(t.Context(), bundleOf(t), resources.TransactionOptions{})),
		"load":        second(plain.Load(t.Context(), nil)),
		"condition":   second(plain.Create(t.Context(), "Patient", patient("", "1", "A"), resources.CreateOptions{IfNoneExist: "identifier=1"})),
	} {
		if !errors.Is(err, resources.ErrNotSearchable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if plain.Searches() || plain.Transacts() {
		t.Error("it tells that it can what it cannot")
	}
}

func second[T any](_ T, err error) error { return err }

// TestPagesOfLargeDocuments checks that a page with large documents ends early, that the links
// still lead to everything, and that the matches of a condition are not cut short.
func TestPagesOfLargeDocuments(t *testing.T) {
	onStores(t, func(t *testing.T, store resources.Store) {
		service := resources.NewService(store, nil, resources.WithPageBytes(25_000))
		put := func(typ, id, rest string) {
			t.Helper()
			body := fmt.Sprintf(`{"resourceType":%q,"id":%q,%s}`, typ, id, rest)
			if _, err := service.Update(t.Context(), typ, id, []byte(body), resources.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		long := strings.Repeat("x", 10_000)
		put("Patient", "p", `"active":true`)
		for i := range 10 {
			put("Observation", fmt.Sprint("o", i), `"status":"final","code":{"text":"`+long+`"},"subject":{"reference":"Patient/p"}`)
		}
		pages := func(name string, want int, page func(cursor string) (n int, next string, err error)) {
			t.Helper()
			total, cursor := 0, ""
			for i := 0; ; i++ {
				n, next, err := page(cursor)
				if err != nil || n > 4 || i > 20 {
					t.Fatalf("%s: %d resources, %v", name, n, err)
				}
				if total += n; next == "" {
					break
				}
				cursor = next
			}
			if total != want {
				t.Errorf("%s: %d resources, want %d", name, total, want)
			}
		}
		v, err := service.Read(t.Context(), "Observation", "o1")
		if err != nil {
			t.Fatal(err)
		}
		for more := range 2 { // a page ends with the document that reaches the limit
			s := resources.NewService(store, nil, resources.WithPageBytes(2*len(v.Body)+more))
			if page, err := s.History(t.Context(), resources.HistoryRequest{Type: "Observation", Count: 100}); err != nil || len(page.Versions) != 2+more || len(page.Versions[1].Body) != len(v.Body) {
				t.Errorf("%d versions on a page, %v", len(page.Versions), err)
			}
		}
		ctx := access.WithGrant(t.Context(), access.ScopesGrant(&access.Principal{Scopes: []string{"user/Observation.rs"}}))
		if got, err := service.Read(ctx, "Observation", "o1"); err != nil || !cmp.Equal(got, v) {
			t.Errorf("with a grant: version %d with %d bytes, %v", got.VersionID, len(got.Body), err)
		}
		find := func(typ string, params ...search.Param) func(string) (int, string, error) {
			return func(cursor string) (int, string, error) {
				asked := params
				if cursor != "" {
					asked = append(asked[:len(asked):len(asked)], search.Param{Name: search.CursorParam, Value: cursor})
				}
				page, err := service.Search(t.Context(), resources.SearchRequest{Type: typ, Params: asked})
				if err != nil {
					return 0, "", err
				}
				if len(page.Included) > 3 || len(page.Included) > 0 && len(page.Issues) == 0 {
					t.Errorf("%d resources are included, with %v", len(page.Included), page.Issues)
				}
				return len(page.Matches), page.Next, nil
			}
		}
		pages("search", 10, find("Observation"))
		pages("sorted", 10, find("Observation", search.Param{Name: "_sort", Value: "_id"}))
		pages("included", 1, find("Patient", search.Param{Name: "_revinclude", Value: "Observation:subject"}))
		pages("history", 11, func(cursor string) (int, string, error) {
			page, err := service.History(t.Context(), resources.HistoryRequest{Count: 100, Cursor: cursor})
			return len(page.Versions), page.Next, err
		})
		pages("everything", 11, func(cursor string) (int, string, error) {
			page, err := service.Everything(t.Context(), resources.EverythingRequest{Type: "Patient", ID: "p", Count: 100, Cursor: cursor})
			return len(page.Versions), page.Next, err
		})
	})
}

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
