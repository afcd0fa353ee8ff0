package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// list reads a collection, or a page of it, into a slice: what the answer has by its key.
func (c *Client) list(ctx context.Context, base string, o ListOptions, key string, into any) error {
	query, err := o.query()
	if err != nil {
		return err
	}
	var page map[string]json.RawMessage
	if err := c.get(ctx, base, query, &page); err != nil {
		return err
	}
	raw, found := page[key]
	if !found || string(raw) == "null" {
		return fmt.Errorf("GET %s: the answer has no %q", base, key)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("GET %s: the answer is not what it should be: %w", base, err)
	}
	return nil
}

func fieldsOf(fields string) url.Values {
	if fields == "" {
		return nil
	}
	return url.Values{"fields": {fields}}
}

// member puts a user into a group or role (POST), or takes it out (DELETE).
func (c *Client) member(ctx context.Context, method, base, uid, user string) error {
	return c.send(ctx, method, base+"/"+segment(uid)+"/users/"+segment(user), nil, nil)
}
