package resources_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources"
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
					for _, v := range page.Versions {
						text := fmt.Sprint(v.Key, " ", v.VersionID)
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
