package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Me returns the current user. It is never cached.
func (s System) Me(ctx context.Context) (*Me, error) {
	return s.client.user(ctx, "/api/me", nil)
}

// UserFields are the fields of a whole user, with names in its references.
const UserFields = "*,userRoles[id,displayName],userGroups[id,displayName],organisationUnits[id,displayName]," +
	"dataViewOrganisationUnits[id,displayName],teiSearchOrganisationUnits[id,displayName]"

// WhoAmI returns the complete current user with two requests: the user record, and the authorities from
// Me. If the user may not read user records (403), it returns the result of Me.
func (s System) WhoAmI(ctx context.Context) (*User, error) {
	me, err := s.Me(ctx)
	if err != nil {
		return nil, err
	}
	if me.ID == "" {
		return nil, errors.New("GET /api/me: the response has no id of the current user")
	}
	user, err := s.client.Users().Get(ctx, me.ID, UserFields)
	if statusOf(err) == http.StatusForbidden {
		return me, nil
	}
	if err != nil {
		return nil, err
	}
	user.Authorities = slices.Clone(me.Authorities)
	return user, nil
}

// Authorization returns the authorities of the current user. A response that is not an array of texts is
// an error, never an empty list.
func (s System) Authorization(ctx context.Context) ([]string, error) {
	const path = "/api/me/authorization"
	var raw json.RawMessage
	if err := s.client.get(ctx, path, nil, &raw); err != nil {
		return nil, err
	}
	var list []*string // finds null, alone or in the array
	if err := json.Unmarshal(raw, &list); err != nil || list == nil || slices.Contains(list, nil) {
		return nil, fmt.Errorf("GET %s: the response is not an array of strings", path)
	}
	authorities := make([]string, len(list))
	for i, text := range list {
		authorities[i] = *text
	}
	return authorities, nil
}
