package main

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/postgres"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/search/searchtest"
)

// searched are the stores that searches are tried on.
var searched = []struct {
	name string
	open func(t *testing.T) (resources.Store, error)
}{
	{"memory", func(*testing.T) (resources.Store, error) { return memory.New(), nil }},
	{"sqlite", func(t *testing.T) (resources.Store, error) {
		return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db"))
	}},
	{"postgres", func(t *testing.T) (resources.Store, error) {
		return postgres.Open(t.Context(), postgresServer.Schema(t))
	}},
}

// TestSearchRows sends the searches of the table to a service on each store: every one
// finds what it should and nothing else, on one page and on pages of one entry.
func TestSearchRows(t *testing.T) {
	for _, s := range searched {
		t.Run(s.name, func(t *testing.T) {
			store, err := s.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			eng := engine.New()
			service := resources.NewService(store, eng, resources.WithTerminology(eng))
			for _, body := range searchtest.Resources() {
				key := keyOf(body)
				if _, err := service.Update(t.Context(), key.Type, key.ID, body, resources.UpdateOptions{}); err != nil {
					t.Fatalf("%s: %v", key, err)
				}
			}
			for _, row := range searchtest.Rows() {
				searchRow(t, service, row)
			}
		})
	}
}

// searchRow sends one search, whole and in pages of one.
func searchRow(t *testing.T, service *resources.Service, row searchtest.Row) {
	t.Helper()
	var included []string
	var got []string
	page, err := searchPage(t.Context(), service, row, row.Params)
	if err != nil {
		t.Errorf("%s: %v", row.Text, err)
		return
	}
	got = ids(page.Matches)
	for _, rec := range page.Included {
		included = append(included, rec.Type+"/"+rec.ID)
	}
	want := slices.Clone(row.Included)
	slices.Sort(want)
	slices.Sort(included)
	if !slices.Equal(included, want) {
		t.Errorf("%s\nincluded %v", row.Text, included)
	}
	if page.Total == nil || *page.Total != len(row.Want) {
		t.Errorf("%s\ntotal %v", row.Text, page.Total)
	}
	found(t, row, "", got)

	var single []string
	params := append(slices.Clone(row.Params), search.Param{Name: "_count", Value: "1"})
	for next := ""; ; next = page.Next {
		asked := params
		if next != "" {
			asked = append(slices.Clone(params), search.Param{Name: search.CursorParam, Value: next})
		}
		if page, err = searchPage(t.Context(), service, row, asked); err != nil {
			t.Errorf("%s, in pages: %v", row.Text, err)
			return
		}
		single = append(single, ids(page.Matches)...)
		if page.Next == "" || len(single) > len(row.Want) {
			break
		}
	}
	found(t, row, "in pages: ", single)
}

func searchPage(ctx context.Context, service *resources.Service, row searchtest.Row, params []search.Param) (*search.Page, error) {
	result, err := service.Search(ctx, resources.SearchRequest{
		Type: row.Type, Params: params, Options: search.Options{Strict: true, Compartment: row.Compartment},
	})
	return result.Page, err
}

// found compares the ids of matches with those wanted.
func found(t *testing.T, row searchtest.Row, how string, got []string) {
	t.Helper()
	if !row.Ordered {
		slices.Sort(got)
	}
	if !slices.Equal(got, row.Want) {
		t.Errorf("%s\n%sgot %v", row.Text, how, got)
	}
}

// keyOf gives the type and id of a document.
func keyOf(body []byte) resources.Key {
	d, err := document.Parse(body, r4.Limits{})
	if err != nil {
		return resources.Key{}
	}
	return resources.Key{Type: d.ResourceType(), ID: d.Root().Get("id").Text()}
}

func ids(records []index.Record) []string {
	out := make([]string, len(records))
	for i, rec := range records {
		out[i] = rec.ID
	}
	return out
}
