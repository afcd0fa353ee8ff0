// Package profile stores named settings for platforms: a URL with credentials. It reads and writes
// the profile files of the user and of a project, chooses the profile that a program uses, and
// builds the static providers of package auth. Platform toolkit, section 1.5.
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/auth"
)

// A Kind is the way in which a profile authenticates.
type Kind string

// The kinds of authentication.
const (
	PAT     Kind = "pat"
	Basic   Kind = "basic"
	Session Kind = "session"
	OAuth2  Kind = "oauth2"
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{PAT, Basic, Session, OAuth2} }

// TokenStore is where the OAuth2 tokens of a profile are stored.
type TokenStore string

// The stores. An empty TokenStore means SQLite.
const (
	SQLite  TokenStore = "sqlite"  // a file beside the profiles, readable by its user only
	Keyring TokenStore = "keyring" // the keyring of the system
	File    TokenStore = "file"    // a file beside the profiles, encrypted with a passphrase
)

// TokenStores lists all stores.
func TokenStores() []TokenStore { return []TokenStore{SQLite, Keyring, File} }

// A Profile is a platform and the credentials for it. It is a value: changing a copy leaves the
// original alone. Encoders mask its secrets and leave out empty members. Platform toolkit,
// section 1.5.1.
type Profile struct {
	BaseURL      string      `json:"base_url"`
	Auth         Kind        `json:"auth"`
	Token        auth.Secret `json:"token,omitzero"`
	Username     string      `json:"username,omitempty"`
	Password     auth.Secret `json:"password,omitzero"`
	Cookie       auth.Secret `json:"cookie,omitzero"`
	XSRFToken    auth.Secret `json:"xsrf_token,omitzero"`
	ClientID     string      `json:"client_id,omitempty"`
	ClientSecret auth.Secret `json:"client_secret,omitzero"`
	Scope        string      `json:"scope,omitempty"`
	RedirectURI  string      `json:"redirect_uri,omitempty"`
	TokenStore   TokenStore  `json:"token_store,omitempty"`
	Version      string      `json:"version,omitempty"` // v41, v42 or v43
}

// A Field is a member of a profile, under its name in files.
type Field struct {
	Name   string
	Value  string      // "" for a secret
	Secret auth.Secret // empty for other fields
}

// Fields returns the members that have a value, in the order of files.
func (p Profile) Fields() []Field {
	var found []Field
	for _, m := range p.members() {
		if value := m.get(); value != "" {
			field := Field{Name: m.name}
			if m.secret != nil {
				field.Secret = *m.secret
			} else {
				field.Value = value
			}
			found = append(found, field)
		}
	}
	return found
}

// member points to a member of a profile, either a text or a secret.
type member struct {
	name   string
	text   *string
	secret *auth.Secret
}

func (p *Profile) members() []member {
	return []member{
		{"base_url", &p.BaseURL, nil},
		{"auth", (*string)(&p.Auth), nil},
		{"token", nil, &p.Token},
		{"username", &p.Username, nil},
		{"password", nil, &p.Password},
		{"cookie", nil, &p.Cookie},
		{"xsrf_token", nil, &p.XSRFToken},
		{"client_id", &p.ClientID, nil},
		{"client_secret", nil, &p.ClientSecret},
		{"scope", &p.Scope, nil},
		{"redirect_uri", &p.RedirectURI, nil},
		{"token_store", (*string)(&p.TokenStore), nil},
		{"version", &p.Version, nil},
	}
}

func (m member) get() string {
	if m.secret != nil {
		return m.secret.Reveal()
	}
	return *m.text
}

func (m member) set(value string) {
	if m.secret != nil {
		*m.secret = auth.NewSecret(value)
	} else {
		*m.text = value
	}
}

// Clean checks a profile and returns it as it is stored: without white space around values other
// than passwords and client secrets, without slashes after the base URL, and with the defaults of
// oauth2. Errors are auth.FieldErrors. Control characters in credentials are refused, because no
// header can carry them.
func (p Profile) Clean() (Profile, error) {
	var err error
	if p.BaseURL, err = auth.CleanBaseURL(p.BaseURL); err != nil {
		return p, err
	}
	if p.Version != "" {
		if p.Version, err = CleanVersion(p.Version); err != nil {
			return p, &auth.FieldError{Field: "version", Err: err}
		}
	}
	for _, m := range p.members() {
		if m.name != "password" && m.name != "client_secret" {
			m.set(strings.TrimSpace(m.get()))
		}
	}
	if p.Auth == OAuth2 {
		p.Scope = cmp.Or(p.Scope, auth.DefaultScope)
		p.RedirectURI = cmp.Or(p.RedirectURI, auth.DefaultRedirectURI)
	}
	return p, p.Check()
}

// Check returns an auth.FieldError if a member is missing, or if no header can carry it.
func (p Profile) Check() error {
	if !slices.Contains(Kinds(), p.Auth) {
		return &auth.FieldError{Field: "auth", Err: fmt.Errorf("%q is none of %v", p.Auth, Kinds())}
	}
	if p.TokenStore != "" && !slices.Contains(TokenStores(), p.TokenStore) {
		return &auth.FieldError{Field: "token_store", Err: fmt.Errorf("%q is none of %v", p.TokenStore, TokenStores())}
	}
	need := map[Kind][]string{
		PAT:     {"token"},
		Basic:   {"username", "password"},
		Session: {"cookie"},
		OAuth2:  {"client_id", "client_secret", "scope", "redirect_uri"},
	}
	for _, m := range p.members() {
		if slices.Contains(need[p.Auth], m.name) && m.get() == "" {
			return &auth.FieldError{Field: m.name, Err: fmt.Errorf("it is missing; auth = %q needs it", p.Auth)}
		}
		if m.name != "client_secret" && m.name != "password" && auth.HasControl(m.get()) {
			return &auth.FieldError{Field: m.name, Err: auth.ErrControlCharacter}
		}
	}
	if p.Auth == Basic && strings.Contains(p.Username, ":") {
		return &auth.FieldError{Field: "username", Err: errors.New("it contains a colon, which Basic authentication does not allow")}
	}
	return nil
}

// CleanVersion returns a platform version as v41, v42 or v43. The text may lack the v.
func CleanVersion(text string) (string, error) {
	switch version := "v" + strings.TrimPrefix(strings.TrimSpace(text), "v"); version {
	case "v41", "v42", "v43":
		return version, nil
	}
	return "", fmt.Errorf("%q is none of v41, v42, v43", text)
}
