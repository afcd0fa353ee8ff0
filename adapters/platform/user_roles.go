package platform

import (
	"context"
	"net/http"
)

// UserRole is a role: a set of authorities that users are given. What the platform did not
// say is nil or empty. Platform toolkit, section 2.8.
type UserRole struct {
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name,omitempty"`
	DisplayName string   `json:"displayName,omitempty"`
	Description string   `json:"description,omitempty"`
	Authorities []string `json:"authorities,omitzero"`
	Extra       Extra    `json:"-"`
}

// UnmarshalJSON keeps unknown members in Extra.
func (r *UserRole) UnmarshalJSON(data []byte) error { return decodeRecord(data, r) }

// MarshalJSON writes the members of Extra as well.
func (r UserRole) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UserRoles reads roles and changes who has them.
type UserRoles struct{ client *Client }

const userRolesPath = "/api/userRoles"

// UserRoles returns the accessor.
func (c *Client) UserRoles() UserRoles { return UserRoles{c} }

// List returns the roles that the options ask for: all of them where they name no page.
func (r UserRoles) List(ctx context.Context, o ListOptions) ([]UserRole, error) {
	var list []UserRole
	err := r.client.list(ctx, userRolesPath, o, "userRoles", &list)
	return list, err
}

// Get returns a role by its uid. Fields may be empty, for those the platform chooses.
func (r UserRoles) Get(ctx context.Context, uid, fields string) (*UserRole, error) {
	role := &UserRole{}
	if err := r.client.get(ctx, userRolesPath+"/"+segment(uid), fieldsOf(fields), role); err != nil {
		return nil, err
	}
	return role, nil
}

// Authorities returns the authorities of a role, in the order of the platform.
func (r UserRoles) Authorities(ctx context.Context, uid string) ([]string, error) {
	role, err := r.Get(ctx, uid, "authorities")
	if err != nil {
		return nil, err
	}
	return role.Authorities, nil
}

// AddUser returns a user a role. Both are uids.
func (r UserRoles) AddUser(ctx context.Context, role, user string) error {
	return r.client.member(ctx, http.MethodPost, userRolesPath, role, user)
}

// RemoveUser takes a role from a user. Both are uids.
func (r UserRoles) RemoveUser(ctx context.Context, role, user string) error {
	return r.client.member(ctx, http.MethodDelete, userRolesPath, role, user)
}
