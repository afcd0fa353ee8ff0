package platformtools

import (
	"context"
	"encoding/json"

	"github.com/roget-health/roget/adapters/platform"
)

// Store chooses a data store.
type Store struct {
	On
	User bool `json:"user,omitempty"`
}

// store returns the data store that is meant.
func (s Store) store(c *platform.Client) platform.Datastore {
	if s.User {
		return c.UserDatastore()
	}
	return c.Datastore()
}

// Entry names a value of a data store.
type Entry struct {
	Store
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
}

// StoredValue is a value of a data store: any JSON.
type StoredValue struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

func addDatastore(r *registry) {
	add(r, reads, "datastore_list_namespaces", "List namespaces", "Namespaces of the data store.",
		func(ctx context.Context, c *platform.Client, in Store) (Names, error) {
			names, err := in.store(c).Namespaces(ctx)
			if err != nil {
				return Names{}, err
			}
			return namesOf(names), nil
		})
	add(r, reads, "datastore_list_keys", "List keys", "Keys of a namespace.",
		func(ctx context.Context, c *platform.Client, in struct {
			Store
			Namespace string `json:"namespace"`
		},
		) (Names, error) {
			names, err := in.store(c).Keys(ctx, in.Namespace)
			if err != nil {
				return Names{}, err
			}
			return namesOf(names), nil
		})
	add(r, reads, "datastore_get", "Get a value", "A JSON value of the data store.",
		func(ctx context.Context, c *platform.Client, in Entry) (StoredValue, error) {
			value, err := in.store(c).Get(ctx, in.Namespace, in.Key)
			if err != nil {
				return StoredValue{}, err
			}
			shown, err := plain(value)
			return StoredValue{in.Key, shown}, err
		})
	add(r, destroys, "datastore_set", "Set a value", "Stores a JSON value; creates namespace and key.",
		func(ctx context.Context, c *platform.Client, in struct {
			Entry
			Value any `json:"value"`
		},
		) (Done, error) {
			value, err := json.Marshal(in.Value)
			if err != nil {
				return Done{}, err
			}
			return doneOr(in.store(c).Set(ctx, in.Namespace, in.Key, json.RawMessage(value)), "set %s of %s", in.Key, in.Namespace)
		})
	add(r, destroys, "datastore_delete", "Delete a value", "Deletes a key of the data store.",
		func(ctx context.Context, c *platform.Client, in Entry) (Done, error) {
			return doneOr(in.store(c).Delete(ctx, in.Namespace, in.Key), "deleted %s of %s", in.Key, in.Namespace)
		})
}
