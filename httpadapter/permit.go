package httpadapter

import (
	"fmt"
	"net/http"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// forAll serves requests only whose grant covers searching everything: what they show is about the
// resources of all clients.
func (h *Handler) forAll(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if grant := access.GrantOf(r.Context()); grant == nil || grant.CoversAll("*", access.Search) {
			next.ServeHTTP(w, r)
			return
		}
		h.refuseRequest(w, r, fmt.Errorf("%w: %s needs a scope that covers search of all resources, such as system/*.s", access.ErrForbidden, r.URL.Path))
	})
}

// loadedPermitted returns an error unless the grant of the request covers an action for a type of
// terminology. all reports whether it covers the resources that the engine has loaded from files. They
// are not in the store, so a scope or denial that depends on what is in a resource hides them.
func (c *call) loadedPermitted(typ string, action access.Actions) (all bool, err error) {
	ctx := c.r.Context()
	if access.GrantOf(ctx) == nil {
		return true, nil
	}
	some, all, err := c.h.Resources.Covers(ctx, typ, action)
	if err == nil && !some {
		err = fmt.Errorf("%w: no scope of this request covers %s", access.ErrForbidden, typ)
	}
	return all, err
}

// permittedEntries returns the entries of the catalogue that the request may search.
func (c *call) permittedEntries(typ string) ([]*engine.Entry, error) {
	entries := c.h.Engine.Entries(typ)
	if access.GrantOf(c.r.Context()) == nil {
		return entries, nil
	}
	all, err := c.loadedPermitted(typ, access.Search)
	if err != nil || all {
		return entries, err
	}
	var keys []resources.Key
	for _, e := range entries {
		if e.Stored {
			keys = append(keys, resources.Key{Type: typ, ID: e.Header.ID})
		}
	}
	permitted, err := c.h.Resources.Permitted(c.context(), access.Search, keys)
	if err != nil {
		return nil, err
	}
	var visible []*engine.Entry
	at := 0
	for _, e := range entries {
		if !e.Stored {
			continue
		}
		if permitted[at] {
			visible = append(visible, e)
		}
		at++
	}
	return visible, nil
}
