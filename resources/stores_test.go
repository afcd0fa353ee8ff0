package resources_test

import (
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/search"
)

// onStores runs a test on each kind of store that needs no server.
func onStores(t *testing.T, test func(t *testing.T, store resources.Store)) {
	t.Run("memory", func(t *testing.T) {
		test(t, memory.New())
	})
	t.Run("sqlite", func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "roget.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, store)
	})
}

// found returns the keys that a search finds, newest first.
func found(t *testing.T, service *resources.Service, typ, query string) []string {
	t.Helper()
	params, err := resources.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	page, err := service.Search(t.Context(), resources.SearchRequest{Type: typ, Params: params, Options: search.Options{DefaultCount: 1000}})
	if err != nil {
		t.Fatalf("%s?%s: %v", typ, query, err)
	}
	keys := []string{}
	for i := range page.Matches {
		keys = append(keys, page.Matches[i].Type+"/"+page.Matches[i].ID)
	}
	return keys
}

func query(t *testing.T, text string) []search.Param {
	t.Helper()
	params, err := resources.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return params
}
