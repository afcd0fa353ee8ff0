package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
)

// pageSize is the number of objects in a page of a stream. Platform toolkit, section 2.7.
const pageSize = 500

// maxPages ends a stream if the server never does.
const maxPages = 1_000_000

// pager describes a page.
type pager struct {
	Page      int  `json:"page"`
	PageCount int  `json:"pageCount"`
	Total     *int `json:"total"`
	PageSize  int  `json:"pageSize"`
}

// getPages reads a collection in pages of 500 objects until a page is short, and calls each for every
// object under a key of the response. It replaces paging parameters. It stops if each returns an
// error.
func (c *Client) getPages(ctx context.Context, path string, query url.Values, key string, each func(json.RawMessage) error) error {
	query = maps.Clone(query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("paging", "true")
	query.Set("pageSize", strconv.Itoa(pageSize))
	for page := 1; page <= maxPages; page++ {
		query.Set("page", strconv.Itoa(page))
		var items []json.RawMessage
		pager, err := c.getPage(ctx, path, query, key, &items)
		if err != nil {
			return err
		}
		if pager.Page > 0 && pager.Page < page { // the page does not exist, and the server repeats the last page
			return nil
		}
		for _, item := range items {
			if err := each(item); err != nil {
				return err
			}
		}
		size := pageSize
		if pager.PageSize > 0 {
			size = pager.PageSize // the server may have a lower limit
		}
		if len(items) < size || len(items) > pageSize || pager.PageCount > 0 && page >= pager.PageCount {
			return nil
		}
	}
	return fmt.Errorf("GET %s: there are more than %d pages", path, maxPages)
}

var errNoCollection = errors.New("the response has no member")

// getPage reads one page of a collection into a slice.
func (c *Client) getPage(ctx context.Context, path string, query url.Values, key string, items any) (p pager, err error) {
	var answer map[string]json.RawMessage
	if err := c.get(ctx, path, query, &answer); err != nil {
		return p, err
	}
	raw, found := answer[key]
	if !found || string(raw) == "null" {
		return p, fmt.Errorf("GET %s: %w called %q", path, errNoCollection, key)
	}
	if err := unmarshal(raw, items); err != nil {
		return p, fmt.Errorf("GET %s: %s does not have the expected form: %w", path, key, err)
	}
	if raw, found := answer["pager"]; found {
		if err := unmarshal(raw, &p); err != nil {
			return p, fmt.Errorf("GET %s: pager does not have the expected form: %w", path, err)
		}
	}
	return p, nil
}
