package httpadapter

import (
	"fmt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// covered reports whether the grant of the request, if there is one, covers one of the actions for a
// type. Resources decides on stored resources itself; this is for what the engine has loaded from
// files, which is published to everybody who may use its type.
func (c *call) covered(typ string, actions access.Actions) bool {
	grant := access.GrantOf(c.r.Context())
	return grant == nil || grant.Covers(typ, actions)
}

// permittedEntries returns the entries of the catalogue that the request may search: those that are
// loaded from files, and of those that are stored the ones that its grant permits.
func (c *call) permittedEntries(typ string) ([]*engine.Entry, error) {
	entries := c.h.Engine.Entries(typ)
	if access.GrantOf(c.r.Context()) == nil {
		return entries, nil
	}
	if !c.covered(typ, access.Search) {
		return nil, fmt.Errorf("%w: no scope of this request covers search of %s", access.ErrForbidden, typ)
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
		if e.Stored {
			if at++; !permitted[at-1] {
				continue
			}
		}
		visible = append(visible, e)
	}
	return visible, nil
}
