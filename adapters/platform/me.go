package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Me is the current user: it has no cache.
func (s System) Me(ctx context.Context) (*Me, error) {
	return s.client.user(ctx, "/api/me", nil)
}

// UserFields ask for all of a user, with references that have names.
const UserFields = "*,userRoles[id,displayName],userGroups[id,displayName],organisationUnits[id,displayName]," +
	"dataViewOrganisationUnits[id,displayName],teiSearchOrganisationUnits[id,displayName]"

// WhoAmI is the current user with everything known of it: the record of the user, and the
// authorities, which only Me has. It takes two requests. Where the platform lets the user
// not read records of users (403), it is what Me gives.
func (s System) WhoAmI(ctx context.Context) (*User, error) {
	me, err := s.Me(ctx)
	if err != nil {
		return nil, err
	}
	if me.ID == "" {
		return nil, errors.New("GET /api/me: the answer has no id of the current user")
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

// Authorization returns the authorities of the current user. An answer that is no array of
// texts is an error, never an empty list.
func (s System) Authorization(ctx context.Context) ([]string, error) {
	const path = "/api/me/authorization"
	var raw json.RawMessage
	if err := s.client.get(ctx, path, nil, &raw); err != nil {
		return nil, err
	}
	var list []*string // neither null nor null in it is taken for a text
	if err := json.Unmarshal(raw, &list); err != nil || list == nil || slices.Contains(list, nil) {
		return nil, fmt.Errorf("GET %s: the answer is not an array of texts", path)
	}
	authorities := make([]string, len(list))
	for i, text := range list {
		authorities[i] = *text
	}
	return authorities, nil
}
