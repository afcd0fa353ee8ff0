package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// A Datastore is a store of JSON values by namespace and key, either shared by all users or private to
// the current user. If a namespace or key is absent, calls return an APIError with status 404 and the
// platform's message. Platform toolkit, section 2.10.
type Datastore struct {
	client *Client
	base   string
}

// Datastore returns the shared store, /api/dataStore.
func (c *Client) Datastore() Datastore { return Datastore{c, "/api/dataStore"} }

// UserDatastore returns the store of the current user, /api/userDataStore.
func (c *Client) UserDatastore() Datastore { return Datastore{c, "/api/userDataStore"} }

// Namespaces returns the namespaces in the platform's order.
func (d Datastore) Namespaces(ctx context.Context) (names []string, err error) {
	err = d.read(ctx, &names)
	return names, err
}

// Keys returns the keys of a namespace in the platform's order.
func (d Datastore) Keys(ctx context.Context, namespace string) (names []string, err error) {
	err = d.read(ctx, &names, namespace)
	return names, err
}

// Get returns the value of a key, which may be any JSON value.
func (d Datastore) Get(ctx context.Context, namespace, key string) (value json.RawMessage, err error) {
	err = d.read(ctx, &value, namespace, key)
	return value, err
}

// Set stores the JSON encoding of a value under a key, with PUT if the key exists and POST if not. If
// another client creates or deletes the key in between, Set tries the other method once.
func (d Datastore) Set(ctx context.Context, namespace, key string, value any) error {
	text, err := marshal(value)
	if err != nil {
		return fmt.Errorf("the value for %s of %s: %w", key, namespace, err)
	}
	_, err = d.Get(ctx, namespace, key)
	method, other, race := http.MethodPut, http.MethodPost, http.StatusNotFound
	if statusOf(err) == http.StatusNotFound {
		method, other, race = http.MethodPost, http.MethodPut, http.StatusConflict
	} else if err != nil {
		return err
	}
	err = d.write(ctx, method, json.RawMessage(text), namespace, key)
	if statusOf(err) == race {
		err = d.write(ctx, other, json.RawMessage(text), namespace, key)
	}
	return err
}

// Delete deletes a key.
func (d Datastore) Delete(ctx context.Context, namespace, key string) error {
	return d.write(ctx, http.MethodDelete, nil, namespace, key)
}

// DeleteNamespace deletes a namespace and all its keys.
func (d Datastore) DeleteNamespace(ctx context.Context, namespace string) error {
	return d.write(ctx, http.MethodDelete, nil, namespace)
}

func (d Datastore) read(ctx context.Context, into any, names ...string) error {
	return d.client.get(ctx, d.path(names), nil, into)
}

func (d Datastore) write(ctx context.Context, method string, value any, names ...string) error {
	return d.client.send(ctx, method, d.path(names), value, nil)
}

func (d Datastore) path(names []string) string {
	path := d.base
	for _, name := range names {
		path += "/" + segment(name)
	}
	return path
}
