package platform

import (
	"context"
	"net/http"
)

// A UserGroup is a group of users. Members that the platform did not send are nil or empty. Platform
// toolkit, section 2.8.
type UserGroup struct {
	ID          string     `json:"id,omitempty"`
	Name        string     `json:"name,omitempty"`
	DisplayName string     `json:"displayName,omitempty"`
	Code        string     `json:"code,omitempty"`
	Users       References `json:"users,omitzero"`
	Extra       Extra      `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (g *UserGroup) UnmarshalJSON(data []byte) error { return decodeRecord(data, g) }

// MarshalJSON includes the members of Extra.
func (g UserGroup) MarshalJSON() ([]byte, error) { return encodeRecord(g) }

// UserGroups reads user groups and changes their members and sharing.
type UserGroups struct{ client *Client }

const userGroupsPath = "/api/userGroups"

// UserGroups returns the accessor of user groups.
func (c *Client) UserGroups() UserGroups { return UserGroups{c} }

// List returns the groups that the options select, and all of those unless they name a page.
func (g UserGroups) List(ctx context.Context, o ListOptions) ([]UserGroup, error) {
	var list []UserGroup
	err := g.client.list(ctx, userGroupsPath, o, "userGroups", &list)
	return list, err
}

// Get returns a group by its uid. If fields is empty, the platform chooses them.
func (g UserGroups) Get(ctx context.Context, uid, fields string) (*UserGroup, error) {
	group := &UserGroup{}
	if err := g.client.get(ctx, userGroupsPath+"/"+segment(uid), fieldsOf(fields), group); err != nil {
		return nil, err
	}
	return group, nil
}

// AddMember adds a user to a group. Both are uids.
func (g UserGroups) AddMember(ctx context.Context, group, user string) error {
	return g.client.member(ctx, http.MethodPost, userGroupsPath, group, user)
}

// RemoveMember removes a user from a group. Both are uids.
func (g UserGroups) RemoveMember(ctx context.Context, group, user string) error {
	return g.client.member(ctx, http.MethodDelete, userGroupsPath, group, user)
}

// Sharing returns the sharing of a group.
func (g UserGroups) Sharing(ctx context.Context, uid string) (*Sharing, error) {
	return g.client.sharing(ctx, "userGroup", uid)
}

// GrantUser grants a user access to a group and returns the new sharing. Both are uids.
func (g UserGroups) GrantUser(ctx context.Context, uid, user string, access Access) (*Sharing, error) {
	return g.client.grantUser(ctx, "userGroup", uid, user, access)
}

// member adds a user to a group or role (POST), or removes it (DELETE).
func (c *Client) member(ctx context.Context, method, base, uid, user string) error {
	return c.send(ctx, method, base+"/"+segment(uid)+"/users/"+segment(user), nil, nil)
}
