package platform

import (
	"cmp"
	"encoding/json"
	"time"
)

// Wire are the few functions that differ between majors in code. Platform toolkit, section
// 7.3.
type Wire interface {
	// EncodeOAuth2Client returns the body that registers a client, its secret in the open.
	EncodeOAuth2Client(client OAuth2Client) (json.RawMessage, error)
	// DecodeOAuth2Clients reads the answer of /api/oAuth2Clients: {"oAuth2Clients":[...]}.
	DecodeOAuth2Clients(answer json.RawMessage) ([]OAuth2Client, error)
	// UserTwoFactor reports whether a user of /api/users has a second factor; known is false
	// where the record does not tell.
	UserTwoFactor(user json.RawMessage) (enabled, known bool)
	// UserPasswordDate tells when a user of /api/users set the password, in UTC; the zero
	// time where never, or the record does not tell.
	UserPasswordDate(user json.RawMessage) (time.Time, error)
	// RouteAuth returns the authentication of a route as it is sent, its secrets in the open.
	// A type that the major has not is an error.
	RouteAuth(value RouteAuth) (json.RawMessage, error)
}

// Wire returns the functions of the major; nil for one that is not supported.
func (m Major) Wire() Wire {
	switch m {
	case 41:
		return wire41{wire42{m.Traits()}}
	case 42:
		return wire42{m.Traits()}
	case 43:
		return wire43{wire42{m.Traits()}}
	}
	return nil
}

// wire42 is the base.
type wire42 struct{ traits *Traits }

// wire43 is as 42 but for the row of the table.
type wire43 struct{ wire42 }

// wire41 has users with nested credentials and a flag for the second factor.
type wire41 struct{ wire42 }

// wireUser has the members of users that the functions read.
type wireUser struct {
	PasswordLastUpdated text  `json:"passwordLastUpdated"`
	TwoFactorEnabled    *bool `json:"twoFactorEnabled"`
	UserCredentials     struct {
		PasswordLastUpdated text  `json:"passwordLastUpdated"`
		TwoFA               *bool `json:"twoFA"`
	} `json:"userCredentials"`
	TwoFactorType text `json:"twoFactorType"`
}

func (wire42) UserTwoFactor(user json.RawMessage) (enabled, known bool) {
	var u wireUser
	if json.Unmarshal(user, &u) != nil || u.TwoFactorType == "" {
		return false, false
	}
	return u.TwoFactorType == "TOTP_ENABLED" || u.TwoFactorType == "EMAIL_ENABLED", true
}

func (wire41) UserTwoFactor(user json.RawMessage) (enabled, known bool) {
	var u wireUser
	if json.Unmarshal(user, &u) != nil {
		return false, false
	}
	for _, flag := range []*bool{u.TwoFactorEnabled, u.UserCredentials.TwoFA} {
		if flag != nil {
			return *flag, true
		}
	}
	return false, false
}

func (wire42) UserPasswordDate(user json.RawMessage) (time.Time, error) {
	var u wireUser
	if err := json.Unmarshal(user, &u); err != nil {
		return time.Time{}, err
	}
	return ParseTime(string(u.PasswordLastUpdated))
}

func (w wire41) UserPasswordDate(user json.RawMessage) (time.Time, error) {
	var u wireUser
	if err := json.Unmarshal(user, &u); err != nil {
		return time.Time{}, err
	}
	return ParseTime(cmp.Or(string(u.UserCredentials.PasswordLastUpdated), string(u.PasswordLastUpdated)))
}
