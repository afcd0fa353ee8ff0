package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// User is an account. What the platform did not say is nil or empty; lists are nil then.
// Platform toolkit, section 2.8.
type User struct {
	ID                         string      `json:"id,omitempty"`
	Username                   string      `json:"username,omitempty"`
	DisplayName                string      `json:"displayName,omitempty"`
	FirstName                  string      `json:"firstName,omitempty"`
	Surname                    string      `json:"surname,omitempty"`
	Email                      string      `json:"email,omitempty"`
	Created                    Timestamp   `json:"created,omitzero"`
	LastLogin                  Timestamp   `json:"lastLogin,omitzero"`
	PasswordLastUpdated        Timestamp   `json:"passwordLastUpdated,omitzero"`
	Disabled                   bool        `json:"disabled,omitempty"`
	ExternalAuth               bool        `json:"externalAuth,omitempty"`
	TwoFactorType              string      `json:"twoFactorType,omitempty"` // NOT_ENABLED, TOTP_ENABLED and others
	Authorities                []string    `json:"authorities,omitzero"`
	UserRoles                  []Reference `json:"userRoles,omitzero"`
	UserGroups                 []Reference `json:"userGroups,omitzero"`
	OrganisationUnits          []Reference `json:"organisationUnits,omitzero"`
	DataViewOrganisationUnits  []Reference `json:"dataViewOrganisationUnits,omitzero"`
	TeiSearchOrganisationUnits []Reference `json:"teiSearchOrganisationUnits,omitzero"`
	Programs                   []Reference `json:"programs,omitzero"`
	Extra                      Extra       `json:"-"`
}

// Me is the record of the current user. Platform client, section 2.4.
type Me = User

type userFields User

// UnmarshalJSON reads the record and keeps what it does not know.
func (u *User) UnmarshalJSON(data []byte) error {
	*u = User{}
	return decodeRecord(data, (*userFields)(u), &u.Extra)
}

// MarshalJSON writes the record with what it does not know.
func (u User) MarshalJSON() ([]byte, error) { return encodeRecord(userFields(u), u.Extra) }

// user reads a user. Where the record has the date of the password elsewhere than others,
// as on major 41, it is put in its place.
func (c *Client) user(ctx context.Context, path string, query url.Values) (*User, error) {
	var raw json.RawMessage
	if err := c.get(ctx, path, query, &raw); err != nil {
		return nil, err
	}
	user := &User{}
	if err := json.Unmarshal(raw, user); err != nil {
		return nil, fmt.Errorf("GET %s: the answer is not a user: %w", path, err)
	}
	if wire, err := c.wire(); err == nil && user.PasswordLastUpdated.IsZero() {
		if date, err := wire.UserPasswordDate(raw); err == nil && !date.IsZero() {
			user.PasswordLastUpdated = NewTimestamp(date)
		}
	}
	return user, nil
}
