package platform

import (
	"context"
	"net/http"
)

// UserGroup is a group of users. What the platform did not say is nil or empty.
// Platform toolkit, section 2.8.
type UserGroup struct {
	ID          string     `json:"id,omitempty"`
	Name        string     `json:"name,omitempty"`
	DisplayName string     `json:"displayName,omitempty"`
	Code        string     `json:"code,omitempty"`
	Users       References `json:"users,omitzero"`
	Extra       Extra      `json:"-"`
}

// UnmarshalJSON keeps unknown members in Extra.
func (g *UserGroup) UnmarshalJSON(data []byte) error { return decodeRecord(data, g) }

// MarshalJSON writes the members of Extra as well.
func (g UserGroup) MarshalJSON() ([]byte, error) { return encodeRecord(g) }

// UserGroups reads groups of users and changes their members and sharing.
type UserGroups struct{ client *Client }

const userGroupsPath = "/api/userGroups"

// UserGroups returns the accessor.
func (c *Client) UserGroups() UserGroups { return UserGroups{c} }

// List returns the groups that the options ask for: all of them where they name no page.
func (g UserGroups) List(ctx context.Context, o ListOptions) ([]UserGroup, error) {
	var list []UserGroup
	err := g.client.list(ctx, userGroupsPath, o, "userGroups", &list)
	return list, err
}

// Get returns a group by its uid. Fields may be empty, for those the platform chooses.
func (g UserGroups) Get(ctx context.Context, uid, fields string) (*UserGroup, error) {
	group := &UserGroup{}
	if err := g.client.get(ctx, userGroupsPath+"/"+segment(uid), fieldsOf(fields), group); err != nil {
		return nil, err
	}
	return group, nil
}

// AddMember puts a user into a group. Both are uids.
func (g UserGroups) AddMember(ctx context.Context, group, user string) error {
	return g.client.member(ctx, http.MethodPost, userGroupsPath, group, user)
}

// RemoveMember takes a user out of a group. Both are uids.
func (g UserGroups) RemoveMember(ctx context.Context, group, user string) error {
	return g.client.member(ctx, http.MethodDelete, userGroupsPath, group, user)
}

// Sharing tells who may see and change a group.
func (g UserGroups) Sharing(ctx context.Context, uid string) (*Sharing, error) {
	return g.client.sharing(ctx, "userGroup", uid)
}

// GrantUser returns a user access to a group and gives the sharing as it is then. Both are uids.
func (g UserGroups) GrantUser(ctx context.Context, uid, user string, access Access) (*Sharing, error) {
	return g.client.grantUser(ctx, "userGroup", uid, user, access)
}

// member puts a user into a group or role (POST), or takes it out (DELETE).
func (c *Client) member(ctx context.Context, method, base, uid, user string) error {
	return c.send(ctx, method, base+"/"+segment(uid)+"/users/"+segment(user), nil, nil)
}
