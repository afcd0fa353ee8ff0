package platform

import (
	"context"
	"encoding/json"
	"net/url"
)

// A User is an account. Members that the platform did not send are nil or empty. Platform toolkit, section
// 2.8.
type User struct {
	ID                         string     `json:"id,omitempty"`
	Username                   string     `json:"username,omitempty"`
	DisplayName                string     `json:"displayName,omitempty"`
	FirstName                  string     `json:"firstName,omitempty"`
	Surname                    string     `json:"surname,omitempty"`
	Email                      string     `json:"email,omitempty"`
	Created                    Timestamp  `json:"created,omitzero"`
	LastLogin                  Timestamp  `json:"lastLogin,omitzero"`
	PasswordLastUpdated        Timestamp  `json:"passwordLastUpdated,omitzero"`
	Disabled                   bool       `json:"disabled,omitempty"`
	ExternalAuth               bool       `json:"externalAuth,omitempty"`
	TwoFactorType              string     `json:"twoFactorType,omitempty"` // NOT_ENABLED, TOTP_ENABLED and others
	Authorities                []string   `json:"authorities,omitzero"`
	UserRoles                  References `json:"userRoles,omitzero"`
	UserGroups                 References `json:"userGroups,omitzero"`
	OrganisationUnits          References `json:"organisationUnits,omitzero"`
	DataViewOrganisationUnits  References `json:"dataViewOrganisationUnits,omitzero"`
	TeiSearchOrganisationUnits References `json:"teiSearchOrganisationUnits,omitzero"`
	Programs                   References `json:"programs,omitzero"`
	Extra                      Extra      `json:"-"`
}

// Me is the record of the current user. Platform client, section 2.4.
type Me = User

// UnmarshalJSON puts unknown members into Extra.
func (u *User) UnmarshalJSON(data []byte) error { return decodeRecord(data, u) }

// MarshalJSON includes the members of Extra.
func (u User) MarshalJSON() ([]byte, error) { return encodeRecord(u) }

// user reads a user.
func (c *Client) user(ctx context.Context, path string, query url.Values) (*User, error) {
	user := &User{}
	if err := c.get(ctx, path, query, user); err != nil {
		return nil, err
	}
	c.complete(user)
	return user, nil
}

// complete sets the date of the password if the record has it inside the credentials, as on major 41.
func (c *Client) complete(user *User) {
	nested, there := user.Extra["userCredentials"]
	codec, err := c.codec()
	if !there || err != nil || !user.PasswordLastUpdated.IsZero() {
		return
	}
	record, err := json.Marshal(map[string]json.RawMessage{"userCredentials": nested})
	if err != nil {
		return
	}
	if date, err := codec.UserPasswordDate(record); err == nil && !date.IsZero() {
		user.PasswordLastUpdated = NewTimestamp(date)
	}
}
