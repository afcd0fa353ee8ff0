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

// pageSize is how many objects a page of a stream has. Platform toolkit, section 2.7.
const pageSize = 500

// maxPages ends a stream from a server that never ends it.
const maxPages = 1_000_000

// pager is what a page says of itself.
type pager struct {
	Page      int  `json:"page"`
	PageCount int  `json:"pageCount"`
	Total     *int `json:"total"`
	PageSize  int  `json:"pageSize"`
}

// getPages reads a collection in pages of 500 and hands out its objects, which the answer
// has under a key, until a page is short. Parameters about paging are replaced. An error
// of each ends it.
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
		if pager.Page > 0 && pager.Page < page { // there is no such page, and the last one came again
			return nil
		}
		for _, item := range items {
			if err := each(item); err != nil {
				return err
			}
		}
		size := pageSize
		if pager.PageSize > 0 {
			size = pager.PageSize // which the server may have cut
		}
		if len(items) < size || len(items) > pageSize || pager.PageCount > 0 && page >= pager.PageCount {
			return nil
		}
	}
	return fmt.Errorf("GET %s: there are more than %d pages", path, maxPages)
}

var errNoCollection = errors.New("the answer has no member")

// getPage reads one answer of a collection into a slice, and gives what it says of itself.
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
		return p, fmt.Errorf("GET %s: %s is not what it should be: %w", path, key, err)
	}
	if raw, found := answer["pager"]; found {
		if err := unmarshal(raw, &p); err != nil {
			return p, fmt.Errorf("GET %s: pager is not what it should be: %w", path, err)
		}
	}
	return p, nil
}
