package platform

import (
	"context"
	"net/url"
)

// list reads a collection, or a page of it, into a slice: what the answer has by its key.
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

// member puts a user into a group or role (POST), or takes it out (DELETE).
func (c *Client) member(ctx context.Context, method, base, uid, user string) error {
	return c.send(ctx, method, base+"/"+segment(uid)+"/users/"+segment(user), nil, nil)
}
