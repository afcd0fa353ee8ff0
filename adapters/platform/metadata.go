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

// Metadata reads the collection of any type by the plural of its name, such as dataElements.
// Platform toolkit, section 2.11.
type Metadata struct{ client *Client }

// Metadata returns the accessor of metadata.
func (c *Client) Metadata() Metadata { return Metadata{c} }

// TypeNames returns the sorted plurals of all types that have an endpoint.
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

// List returns the objects of a type. For an unknown type the error is a LookupError of kind
// ErrUnknownResource with suggestions.
func (m Metadata) List(ctx context.Context, name string, options ListOptions) ([]json.RawMessage, error) {
	query, err := options.query()
	if err != nil {
		return nil, err
	}
	items, _, err := m.page(ctx, name, query)
	return items, err
}

// Get returns one object. fields may be "". If there is no such object, the error is an APIError with
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
		return nil, fmt.Errorf("GET %s/%s: the response does not have the expected form: it is %s, not an object", path, segment(uid), kind)
	}
	return object, nil
}

// Count returns the number of objects of a type with one request. Of the options it uses the filters and
// their junction. A response without a total is an error.
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
		return 0, fmt.Errorf("the platform returns no total of %s; list them instead", name)
	}
	return *pager.Total, nil
}

// Each calls a function for every object of a type. It reads pages of 500 objects, or only the page that
// the options name. Without an order, objects are ordered by id, so that no page repeats or skips
// objects. Each stops if the function returns an error.
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

// Write writes the objects that Each reads as a JSON array, one object per line, and returns their
// number. After an error the array is not closed.
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

// path returns the path of a collection. A name that cannot be in a path is an unknown type.
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

// explain returns a LookupError if an error is due to an unknown type. Only then it asks the platform
// for its types.
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
