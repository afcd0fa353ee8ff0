package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/roget-health/roget/adapters/platform/catalogue"
)

// Metadata reaches the collections of any type, by the plural of its name: dataElements.
// Platform toolkit, section 2.11.
type Metadata struct{ client *Client }

// Metadata returns the accessor of metadata.
func (c *Client) Metadata() Metadata { return Metadata{c} }

// TypeNames returns the plurals of all types that have an endpoint, sorted.
func (m Metadata) TypeNames(ctx context.Context) ([]string, error) {
	var schemas []struct {
		Plural      string `json:"plural"`
		APIEndpoint string `json:"apiEndpoint"`
		Metadata    bool   `json:"metadata"`
	}
	if _, err := m.client.getPage(ctx, "/api/schemas", url.Values{"fields": {"plural,apiEndpoint,metadata"}}, "schemas", &schemas); err != nil {
		return nil, err
	}
	names := []string{}
	for _, schema := range schemas {
		if schema.Metadata && schema.APIEndpoint != "" && schema.Plural != "" {
			names = append(names, schema.Plural)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// List returns the objects of a type. A type that is not there is a LookupError of the kind
// ErrUnknownResource with suggestions.
func (m Metadata) List(ctx context.Context, name string, options ListOptions) ([]json.RawMessage, error) {
	query, err := options.query()
	if err != nil {
		return nil, err
	}
	items, _, err := m.page(ctx, name, query)
	return items, err
}

// Get returns one object; fields may be "". An object that is not there is an APIError of
// status 404.
func (m Metadata) Get(ctx context.Context, name, uid, fields string) (json.RawMessage, error) {
	path, err := m.path(ctx, name)
	if err != nil {
		return nil, err
	}
	var object json.RawMessage
	if err := m.client.get(ctx, path+"/"+segment(uid), fieldsOf(fields), &object); err != nil {
		return nil, m.explain(ctx, name, err)
	}
	if kind := kindOf(object); kind != "an object" {
		return nil, fmt.Errorf("GET %s/%s: the answer is not what it should be: it is %s, not an object", path, segment(uid), kind)
	}
	return object, nil
}

// Count returns how many objects of a type there are, with one request; of the options it
// heeds filters and their junction. An answer without a total is an error.
func (m Metadata) Count(ctx context.Context, name string, options ListOptions) (int, error) {
	query, err := ListOptions{
		Fields: "id", Filters: options.Filters, RootJunction: options.RootJunction, Page: 1, PageSize: 1,
	}.query()
	if err != nil {
		return 0, err
	}
	_, pager, err := m.page(ctx, name, query)
	if err != nil {
		return 0, err
	}
	if pager.Total == nil || *pager.Total < 0 {
		return 0, fmt.Errorf("the platform gives no total of %s; list them instead", name)
	}
	return *pager.Total, nil
}

// Each hands out the objects of a type one by one, read in pages of 500; with Page or
// PageSize in the options, those of that page. Without an order they come by id, so that
// no page repeats or leaves out what another has. An error of each ends it.
func (m Metadata) Each(ctx context.Context, name string, options ListOptions, each func(json.RawMessage) error) error {
	if options.Page > 0 || options.PageSize > 0 {
		items, err := m.List(ctx, name, options)
		for _, item := range items {
			if err := each(item); err != nil {
				return err
			}
		}
		return err
	}
	if len(options.Order) == 0 {
		options.Order = []string{"id:asc"}
	}
	query, err := options.query()
	if err != nil {
		return err
	}
	path, err := m.path(ctx, name)
	if err != nil {
		return err
	}
	return m.explain(ctx, name, m.client.getPages(ctx, path, query, name, each))
}

// Write writes the objects that Each hands out as a JSON array, one to a line, and tells
// how many there were. After an error the array is not closed.
func (m Metadata) Write(ctx context.Context, w io.Writer, name string, options ListOptions) (written int, err error) {
	before := "[\n"
	err = m.Each(ctx, name, options, func(item json.RawMessage) error {
		if _, err := fmt.Fprintf(w, "%s%s", before, item); err != nil {
			return err
		}
		before = ",\n"
		written++
		return nil
	})
	if err != nil {
		return written, err
	}
	end := "\n]\n"
	if written == 0 {
		end = "[]\n"
	}
	_, err = io.WriteString(w, end)
	return written, err
}

// path is the path of a collection. A name that cannot be one is an unknown type.
func (m Metadata) path(ctx context.Context, name string) (string, error) {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return "", m.unknown(ctx, name)
	}
	return "/api/" + name, nil
}

func (m Metadata) page(ctx context.Context, name string, query url.Values) ([]json.RawMessage, pager, error) {
	path, err := m.path(ctx, name)
	if err != nil {
		return nil, pager{}, err
	}
	var items []json.RawMessage
	p, err := m.client.getPage(ctx, path, query, name, &items)
	return items, p, m.explain(ctx, name, err)
}

// explain turns an error into one about the type where that is the reason. The platform is
// asked for its types only then.
func (m Metadata) explain(ctx context.Context, name string, err error) error {
	var refused *APIError
	switch {
	case errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed || refused.Status == http.StatusOK):
	case errors.Is(err, errNoCollection):
	default:
		return err
	}
	names, failed := m.TypeNames(ctx)
	if failed != nil || slices.Contains(names, name) {
		return err
	}
	return &LookupError{ErrUnknownResource, name, catalogue.Nearest(name, names)}
}

func (m Metadata) unknown(ctx context.Context, name string) error {
	names, err := m.TypeNames(ctx)
	if err != nil {
		return err
	}
	return &LookupError{ErrUnknownResource, name, catalogue.Nearest(name, names)}
}
