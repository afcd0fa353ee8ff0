package platform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// collection serves so many data elements in pages, as the platform does: a page after the
// last one is the last one again.
func collection(total int, requests *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, r.URL.Path)
		query := r.URL.Query()
		switch {
		case r.URL.Path == "/api/schemas":
			answer(200, `{"schemas":[{"plural":"users","apiEndpoint":"/api/users","metadata":true},{"plural":"dataElements","apiEndpoint":"/api/dataElements","metadata":true},{"plural":"none","metadata":true},{"plural":"odd","apiEndpoint":"/api/odd"}]}`)(w, r)
			return
		case r.URL.Path != "/api/dataElements":
			answer(404, `{"status":"ERROR","message":"no such path"}`)(w, r)
			return
		}
		size, page := total, 1
		if query.Get("paging") == "true" {
			page, _ = strconv.Atoi(query.Get("page"))
			size, _ = strconv.Atoi(cmp.Or(query.Get("pageSize"), "50"))
		}
		pages := max((total+size-1)/max(size, 1), 1)
		page = min(page, pages)
		var items []string
		for i := (page - 1) * size; i < min(page*size, total); i++ {
			items = append(items, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		answer(200, fmt.Sprintf(`{"pager":{"page":%d,"pageCount":%d,"total":%d,"pageSize":%d},"dataElements":[%s]}`, page, pages, total, size, strings.Join(items, ",")))(w, r)
	}
}

// TestMetadataPages: pages of 500 until a short one. Platform toolkit, section 2.7.
// Rows of docs/platform.md: 4.24.
func TestMetadataPages(t *testing.T) {
	for total, want := range map[int]int{0: 1, 1: 1, 499: 1, 500: 1, 501: 2, 1000: 2, 1203: 3} {
		var requests []string
		c := serve(t, Options{}, collection(total, &requests))
		var out strings.Builder
		written, err := c.Metadata().Write(t.Context(), &out, "dataElements", ListOptions{})
		var objects []struct{ ID string }
		if err != nil || written != total || json.Unmarshal([]byte(out.String()), &objects) != nil || len(objects) != total || len(requests) != want {
			t.Errorf("%d: %d written, %v, %d requests", total, written, err, len(requests))
		}
		for i, object := range objects {
			if object.ID != strconv.Itoa(i) {
				t.Fatalf("%d: object %d is %s", total, i, object.ID)
			}
		}
		items, err := c.Metadata().List(t.Context(), "dataElements", ListOptions{})
		if err != nil || len(items) != total {
			t.Errorf("%d: %d listed, %v", total, len(items), err)
		}
	}
}

// TestMetadataCount: one request. Platform client, section 4: totals in one request.
// Rows of docs/platform.md: 4.24.
func TestMetadataCount(t *testing.T) {
	var requests []string
	c := serve(t, Options{}, collection(1203, &requests))
	if n, err := c.Metadata().Count(t.Context(), "dataElements", ListOptions{Filters: []string{"name:like:a"}}); n != 1203 || err != nil || len(requests) != 1 {
		t.Error(n, err, requests)
	}
	c = serve(t, Options{}, answer(200, `{"pager":{"page":1},"users":[]}`))
	if _, err := c.Metadata().Count(t.Context(), "users", ListOptions{}); err == nil || !strings.Contains(err.Error(), "no total of users") {
		t.Error(err)
	}
}

// TestMetadataUnknownType: ErrUnknownResource with suggestions, whatever is asked.
func TestMetadataUnknownType(t *testing.T) {
	var requests []string
	c := serve(t, Options{}, collection(1, &requests))
	ctx, m := t.Context(), c.Metadata()
	for _, name := range []string{"dataElemnts", "dataElement", "../dataElements", ""} {
		_, listed := m.List(ctx, name, ListOptions{})
		_, counted := m.Count(ctx, name, ListOptions{})
		_, got := m.Get(ctx, name, "x", "")
		_, written := m.Write(ctx, &strings.Builder{}, name, ListOptions{})
		for _, err := range []error{listed, counted, got, written} {
			var lookup *LookupError
			var base ClientError
			if !errors.Is(err, ErrUnknownResource) || !errors.Is(err, ErrLookup) || !errors.As(err, &lookup) || errors.As(err, &base) {
				t.Fatalf("%q: %v", name, err)
			}
			if name != "" && (len(lookup.Suggestions) != 1 || lookup.Suggestions[0] != "dataElements") {
				t.Errorf("%q: %v", name, lookup)
			}
		}
	}
	var refused *APIError
	if _, err := m.Get(ctx, "users", "Usr00000001", "id"); !errors.As(err, &refused) || refused.Status != 404 {
		t.Errorf("an object that is not there: %v", err)
	}
	names, err := m.TypeNames(ctx)
	if err != nil || strings.Join(names, " ") != "dataElements users" {
		t.Error(names, err)
	}
}

// TestListOptions: platform toolkit, section 2.7.
func TestListOptions(t *testing.T) {
	for _, test := range []struct {
		options ListOptions
		want    string
	}{
		{ListOptions{}, "paging=false"},
		{ListOptions{Filters: []string{"a:eq:1"}, RootJunction: "OR"}, "filter=a:eq:1&paging=false"},
		{ListOptions{Filters: []string{"a:eq:1", "b:null"}, RootJunction: "OR", Order: []string{"a:asc", "b:desc"}}, "filter=a:eq:1&filter=b:null&order=a:asc&order=b:desc&paging=false&rootJunction=OR"},
		{ListOptions{Page: 2}, "page=2&paging=true"},
		{ListOptions{PageSize: 7, Fields: "id", Translate: true, Locale: "fr"}, "fields=id&locale=fr&pageSize=7&paging=true&translate=true"},
		{ListOptions{Filters: []string{"a"}}, ""},
		{ListOptions{Filters: []string{":eq:1"}}, ""},
		{ListOptions{Order: []string{"a"}}, ""},
		{ListOptions{Order: []string{"a:up"}}, ""},
		{ListOptions{RootJunction: "XOR"}, ""},
		{ListOptions{Page: -1}, ""},
	} {
		query, err := test.options.query()
		if got := strings.ReplaceAll(query.Encode(), "%3A", ":"); got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: %q, %v", test.options, got, err)
		}
	}
}

// TestEach: the objects of a page are those of List, read by one request, up to an error of the function.
func TestEach(t *testing.T) {
	full := errors.New("full")
	for _, o := range []ListOptions{{Page: 1}, {PageSize: 2}, {Page: 2, PageSize: 2}, {Page: 1, PageSize: 1}} {
		var requests []string
		m := serve(t, Options{}, collection(1203, &requests)).Metadata()
		want, err := m.List(t.Context(), "dataElements", o)
		if err != nil || len(want) == 0 {
			t.Fatalf("%+v: %v", o, err)
		}
		for _, most := range []int{len(want), 1} {
			var got []json.RawMessage
			requests = nil
			err := m.Each(t.Context(), "dataElements", o, func(item json.RawMessage) error {
				if got = append(got, item); len(got) == most && most < len(want) {
					return full
				}
				return nil
			})
			if !slices.EqualFunc(got, want[:most], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) || errors.Is(err, full) != (most < len(want)) || err != nil && !errors.Is(err, full) || len(requests) != 1 {
				t.Errorf("%+v: %s, %v, %d requests", o, got, err, len(requests))
			}
		}
	}
}
