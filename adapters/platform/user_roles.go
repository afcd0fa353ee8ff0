package platform

import (
	"context"
	"net/http"
)

// A UserRole is a set of authorities for users. Members that the platform did not send are nil or empty.
// Platform toolkit, section 2.8.
type UserRole struct {
	ID          string   `json:"id,omitempty"`
	Name        string   `json:"name,omitempty"`
	DisplayName string   `json:"displayName,omitempty"`
	Description string   `json:"description,omitempty"`
	Authorities []string `json:"authorities,omitzero"`
	Extra       Extra    `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (r *UserRole) UnmarshalJSON(data []byte) error { return decodeRecord(data, r) }

// MarshalJSON includes the members of Extra.
func (r UserRole) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// UserRoles reads roles and assigns them to users.
type UserRoles struct{ client *Client }

const userRolesPath = "/api/userRoles"

// UserRoles returns the accessor of roles.
func (c *Client) UserRoles() UserRoles { return UserRoles{c} }

// List returns the roles that the options select, and all of those unless they name a page.
func (r UserRoles) List(ctx context.Context, o ListOptions) ([]UserRole, error) {
	var list []UserRole
	err := r.client.list(ctx, userRolesPath, o, "userRoles", &list)
	return list, err
}

// Get returns a role by its uid. If fields is empty, the platform chooses them.
func (r UserRoles) Get(ctx context.Context, uid, fields string) (*UserRole, error) {
	role := &UserRole{}
	if err := r.client.get(ctx, userRolesPath+"/"+segment(uid), fieldsOf(fields), role); err != nil {
		return nil, err
	}
	return role, nil
}

// Authorities returns the authorities of a role in the platform's order.
func (r UserRoles) Authorities(ctx context.Context, uid string) ([]string, error) {
	role, err := r.Get(ctx, uid, "authorities")
	if err != nil {
		return nil, err
	}
	return role.Authorities, nil
}

// AddUser assigns a role to a user. Both are uids.
func (r UserRoles) AddUser(ctx context.Context, role, user string) error {
	return r.client.member(ctx, http.MethodPost, userRolesPath, role, user)
}

// RemoveUser removes a role from a user. Both are uids.
func (r UserRoles) RemoveUser(ctx context.Context, role, user string) error {
	return r.client.member(ctx, http.MethodDelete, userRolesPath, role, user)
}
