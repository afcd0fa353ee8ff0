package resources_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

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
