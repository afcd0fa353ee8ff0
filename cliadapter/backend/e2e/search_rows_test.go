package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// onStores runs a test with a service on each store.
func onStores(t *testing.T, test func(t *testing.T, service *resources.Service)) {
	for _, s := range searched {
		t.Run(s.name, func(t *testing.T) {
			store, err := s.open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			eng := engine.New()
			test(t, resources.NewService(store, eng, resources.WithTerminology(eng)))
		})
	}
}

// TestSearchRows sends the searches of the table to a server on each store. Each finds exactly the
// expected resources, on one page and on pages of one entry.
func TestSearchRows(t *testing.T) {
	onStores(t, func(t *testing.T, service *resources.Service) {
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

// TestTypes creates, reads, updates, finds and deletes a resource of each type on each store.
func TestTypes(t *testing.T) {
	onStores(t, func(t *testing.T, service *resources.Service) {
		types := map[string]bool{}
		for _, body := range searchtest.Resources() {
			typ := keyOf(body).Type
			if types[typ] {
				continue
			}
			types[typ] = true
			if err := lifeOf(t.Context(), service, typ, body); err != nil {
				t.Errorf("%s: %v", typ, err)
			}
		}
		if len(types) < 21 {
			t.Errorf("%d types", len(types))
		}
	})
}

// lifeOf takes a resource from its creation to its end.
func lifeOf(ctx context.Context, service *resources.Service, typ string, body []byte) error {
	created, err := service.Create(ctx, typ, body, resources.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	read, err := service.Read(ctx, typ, created.ID)
	if err != nil || !created.Created || read.VersionID != 1 || !bytes.Equal(read.Body, created.Body) {
		return fmt.Errorf("read: version %d, %w", read.VersionID, err)
	}
	changed := bytes.Replace(read.Body, []byte(`"resourceType":"`+typ+`"`), []byte(`"resourceType":"`+typ+`","language":"en"`), 1)
	updated, err := service.Update(ctx, typ, created.ID, changed, resources.UpdateOptions{})
	if err != nil || updated.VersionID != 2 || !bytes.Contains(updated.Body, []byte(`"language":"en"`)) {
		return fmt.Errorf("update: version %d, %w", updated.VersionID, err)
	}
	byID := []search.Param{{Name: "_id", Value: created.ID}}
	if result, err := service.Search(ctx, resources.SearchRequest{Type: typ, Params: byID}); err != nil || len(result.Matches) != 1 || result.Matches[0].VersionID != 2 {
		return fmt.Errorf("search: %v, %w", result.Page, err)
	}
	if _, err := service.Delete(ctx, typ, created.ID, resources.UpdateOptions{}); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if _, err := service.Read(ctx, typ, created.ID); !errors.Is(err, resources.ErrGone) {
		return fmt.Errorf("read after delete: %w", err)
	}
	if result, err := service.Search(ctx, resources.SearchRequest{Type: typ, Params: byID}); err != nil || len(result.Matches) != 0 {
		return fmt.Errorf("search after delete: %v, %w", result.Page, err)
	}
	return nil
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
	checkFound(t, row, "", got)

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
	checkFound(t, row, "in pages: ", single)
}

func searchPage(ctx context.Context, service *resources.Service, row searchtest.Row, params []search.Param) (*search.Page, error) {
	result, err := service.Search(ctx, resources.SearchRequest{
		Type: row.Type, Params: params, Options: search.Options{Strict: true, Compartment: row.Compartment},
	})
	return result.Page, err
}

// found compares the ids of matches with those wanted.
func checkFound(t *testing.T, row searchtest.Row, how string, got []string) {
	t.Helper()
	if !row.Ordered {
		slices.Sort(got)
	}
	if !slices.Equal(got, row.Want) {
		t.Errorf("%s\n%sgot %v", row.Text, how, got)
	}
}

// keyOf returns the type and id of a document.
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
