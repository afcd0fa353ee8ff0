package platform

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// ListOptions filter, order and page a collection. The zero value requests all objects. Platform
// toolkit, section 2.7.
type ListOptions struct {
	Fields       string   // id,name,userRoles[id]; "" for the server's default
	Filters      []string // each property:operator[:value]
	RootJunction string   // AND or OR between filters; "" means AND
	Order        []string // each property:asc or property:desc
	Page         int      // counted from 1
	PageSize     int      // the server's default is 50
	Translate    bool
	Locale       string // of translations, such as fr
}

// Check returns an error if the options are invalid. It sends no request.
func (o ListOptions) Check() error {
	_, err := o.query()
	return err
}

// query returns the query parameters. Without Page and PageSize there is no paging.
func (o ListOptions) query() (url.Values, error) {
	query := url.Values{"paging": {"false"}}
	put := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	put("fields", o.Fields)
	put("locale", o.Locale)
	for _, filter := range o.Filters {
		if parts := strings.SplitN(filter, ":", 3); len(parts) < 2 || parts[0] == "" || parts[1] == "" {
			return nil, fmt.Errorf("filter %q is not property:operator:value, such as name:ilike:malaria", filter)
		}
		query.Add("filter", filter)
	}
	switch o.RootJunction {
	case "", "AND", "OR":
		if len(o.Filters) > 1 {
			put("rootJunction", o.RootJunction)
		}
	default:
		return nil, fmt.Errorf("root junction %q is neither AND nor OR", o.RootJunction)
	}
	for _, order := range o.Order {
		if property, way, _ := strings.Cut(order, ":"); property == "" || way != "asc" && way != "desc" {
			return nil, fmt.Errorf("order %q is not property:asc or property:desc", order)
		}
		query.Add("order", order)
	}
	if o.Page < 0 || o.PageSize < 0 {
		return nil, fmt.Errorf("page %d and page size %d must not be negative", o.Page, o.PageSize)
	}
	if o.Page > 0 || o.PageSize > 0 {
		query.Set("paging", "true")
	}
	if o.Page > 0 {
		query.Set("page", strconv.Itoa(o.Page))
	}
	if o.PageSize > 0 {
		query.Set("pageSize", strconv.Itoa(o.PageSize))
	}
	if o.Translate {
		query.Set("translate", "true")
	}
	return query, nil
}

// list reads a collection, or a page of it, into a slice. key is its member in the response.
func (c *Client) list(ctx context.Context, base string, o ListOptions, key string, into any) error {
	query, err := o.query()
	if err != nil {
		return err
	}
	_, err = c.getPage(ctx, base, query, key, into)
	return err
}

func fieldsOf(fields string) url.Values {
	if fields == "" {
		return nil
	}
	return url.Values{"fields": {fields}}
}
