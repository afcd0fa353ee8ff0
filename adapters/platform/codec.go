package platform

import (
	"cmp"
	"encoding/json"
	"time"
)

// A Codec has the functions that differ between majors. Platform toolkit, section 7.3.
type Codec interface {
	// EncodeOAuth2Client returns the body that registers a client, with its secret in plain text.
	EncodeOAuth2Client(client OAuth2Client) (json.RawMessage, error)
	// DecodeOAuth2Clients reads the response of /api/oAuth2Clients: {"oAuth2Clients":[...]}.
	DecodeOAuth2Clients(answer json.RawMessage) ([]OAuth2Client, error)
	// UserTwoFactor reports whether a user of /api/users has a second factor. known is false if
	// the record does not say.
	UserTwoFactor(user json.RawMessage) (enabled, known bool)
	// UserPasswordDate returns the time in UTC at which a user of /api/users set the password. It
	// is zero if the user never did, or if the record does not say.
	UserPasswordDate(user json.RawMessage) (time.Time, error)
	// RouteAuth returns the authentication of a route for sending, with its secrets in plain text.
	// It returns an error if the major does not have the type.
	RouteAuth(value RouteAuth) (json.RawMessage, error)
}

// Codec returns the functions of the major, or nil if the major is not supported.
func (m Major) Codec() Codec {
	switch m {
	case 41:
		return codec41{codec42{m.Features()}}
	case 42:
		return codec42{m.Features()}
	case 43:
		return codec43{codec42{m.Features()}}
	}
	return nil
}

// codec42 is the base of all codecs.
type codec42 struct{ features *Features }

// codec43 is codec42 with another row of the table.
type codec43 struct{ codec42 }

// codec41 reads users with nested credentials and a flag for the second factor.
type codec41 struct{ codec42 }

// userMembers are the members of users that the codecs read.
type userMembers struct {
	PasswordLastUpdated text  `json:"passwordLastUpdated"`
	TwoFactorEnabled    *bool `json:"twoFactorEnabled"`
	UserCredentials     struct {
		PasswordLastUpdated text  `json:"passwordLastUpdated"`
		TwoFA               *bool `json:"twoFA"`
	} `json:"userCredentials"`
	TwoFactorType text `json:"twoFactorType"`
}

func (codec42) UserTwoFactor(user json.RawMessage) (enabled, known bool) {
	var u userMembers
	if json.Unmarshal(user, &u) != nil || u.TwoFactorType == "" {
		return false, false
	}
	return u.TwoFactorType == "TOTP_ENABLED" || u.TwoFactorType == "EMAIL_ENABLED", true
}

func (codec41) UserTwoFactor(user json.RawMessage) (enabled, known bool) {
	var u userMembers
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

func (codec42) UserPasswordDate(user json.RawMessage) (time.Time, error) {
	var u userMembers
	if err := json.Unmarshal(user, &u); err != nil {
		return time.Time{}, err
	}
	return ParseTime(string(u.PasswordLastUpdated))
}

func (w codec41) UserPasswordDate(user json.RawMessage) (time.Time, error) {
	var u userMembers
	if err := json.Unmarshal(user, &u); err != nil {
		return time.Time{}, err
	}
	return ParseTime(cmp.Or(string(u.UserCredentials.PasswordLastUpdated), string(u.PasswordLastUpdated)))
}
