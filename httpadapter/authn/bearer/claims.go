package bearer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/roget-health/roget/access"
)

// claims are the claims that matter here.
type claims struct {
	Issuer     string           `json:"iss"`
	Subject    string           `json:"sub"`
	Audience   jwt.Audience     `json:"aud"`
	Expiry     *jwt.NumericDate `json:"exp"`
	NotBefore  *jwt.NumericDate `json:"nbf"`
	IssuedAt   *jwt.NumericDate `json:"iat"`
	Scope      words            `json:"scope"`
	ScopeArray words            `json:"scp"`
	ClientID   string           `json:"client_id"`
	Party      string           `json:"azp"`
	Patient    string           `json:"patient"`
	User       string           `json:"fhirUser"`

	// Claims that say what a token is for.
	AccessHash any `json:"at_hash"`
	CodeHash   any `json:"c_hash"`
	StateHash  any `json:"s_hash"`
	Nonce      any `json:"nonce"`
	Events     any `json:"events"`
	Type       any `json:"typ"`        // of Keycloak
	Use        any `json:"token_use"`  // of Cognito and Hydra
	Name       any `json:"tokenName"`  // of ForgeRock and PingAM
	TokenType  any `json:"token_type"` // of ForgeRock and PingAM, and of introspection

	// Confirmation binds a token to the holder of a key.
	Confirmation map[string]any `json:"cnf"`
}

// checkPurpose returns an error if a token has claims that only other tokens than access tokens have.
// Many issuers write typ JWT into the header of all their tokens, and some have one audience for all.
// typed reports that the header has the typ of access tokens.
func (c *claims) checkPurpose(typed bool) error {
	switch {
	case c.AccessHash != nil || c.CodeHash != nil || c.StateHash != nil || // OpenID Connect Core, sections 2 and 3.3.2.11; FAPI 1.0
		c.Type == "ID" || c.Use == "id" || c.Name == "id_token",
		c.Nonce != nil && !typed && !c.grantsAccess():
		return errors.New("the token is an ID token, which says who has logged in; send the access token")
	case c.Type == "Refresh" || c.Type == "Offline" || c.Use == "refresh_token" || c.Name == "refresh_token":
		return errors.New("the token is a refresh token; send the access token")
	case c.Events != nil: // RFC 8417, section 2.2
		return errors.New("the token reports events, such as a logout; send the access token")
	}
	return nil
}

// grantsAccess reports whether a token has claims that ID tokens lack. Keycloak before version 25,
// ForgeRock and Azure AD B2C write the nonce of a login into access tokens too, so a nonce alone does
// not tell.
func (c *claims) grantsAccess() bool {
	return len(c.Scope) > 0 || len(c.ScopeArray) > 0 || c.Type == "Bearer" || c.Use == "access" || c.Use == "access_token" ||
		c.Name == "access_token" || c.isBearer()
}

// isBearer reports whether the token type is that of a token that anybody may send. Old versions
// of Hydra have access_token in its place.
func (c *claims) isBearer() bool {
	text, _ := c.TokenType.(string)
	return strings.EqualFold(text, "Bearer") || text == "access_token"
}

// certificateHash is the member of cnf with the hash of a client certificate (RFC 8705, section 3.1).
const certificateHash = "x5t#S256"

// binding returns the hash of the client certificate that a token is bound to, "" if anybody may send
// it. It returns an error if the token is bound to something else, such as a key of DPoP: to accept it
// from anybody would undo what its issuer has done against theft (RFC 9449, section 7.2).
func (c *claims) binding() (string, error) {
	if c.Confirmation == nil {
		return "", nil
	}
	hash, is := c.Confirmation[certificateHash].(string)
	if !is || hash == "" || len(c.Confirmation) != 1 {
		return "", errors.New("the token is bound to a key of its client (cnf) in a way that this server cannot check; it accepts tokens of the type Bearer and tokens bound to client certificates")
	}
	return hash, nil
}

// checkBinding returns an error unless the client of a request has a certificate with a hash.
func checkBinding(r *http.Request, hash string) error {
	if hash == "" {
		return nil
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		sum := sha256.Sum256(r.TLS.PeerCertificates[0].Raw)
		if base64.RawURLEncoding.EncodeToString(sum[:]) == hash {
			return nil
		}
	}
	return errors.New("the token is bound to a client certificate (cnf), and this connection has no such certificate")
}

// words are a text with blanks between words, or an array of texts. Issuers write scopes either way.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		list = []string{text}
	}
	*w = strings.Fields(strings.Join(list, " "))
	return nil
}

// deadline returns the time of expiry, the zero time if there is none.
func (c *claims) deadline() time.Time {
	if c.Expiry == nil {
		return time.Time{}
	}
	return time.Unix(max(0, int64(*c.Expiry)), 0) // the zero time is before 1970
}

// client returns the OAuth client.
func (c *claims) client() string {
	if c.ClientID != "" {
		return c.ClientID
	}
	return c.Party
}

// principal returns the principal of a token with these claims; roles are those with roles.
func (c *claims) principal(roles []string, all map[string]any) *access.Principal {
	p := &access.Principal{
		Subject: c.Subject, Issuer: c.Issuer, Client: c.client(), Method: "jwt",
		Scopes:  append(append([]string{}, c.Scope...), c.ScopeArray...), // never nil: a token says what it is for
		Patient: lastSegments(c.Patient, 1), User: lastSegments(c.User, 2),
	}
	if p.Subject == "" {
		p.Subject = p.Client
	}
	for _, path := range roles {
		p.Roles = append(p.Roles, rolesAt(all, path)...)
	}
	return p
}

// lastSegments returns the last segments of a reference: 1 is the id, 2 are type and id.
func lastSegments(reference string, n int) string {
	parts := strings.Split(reference, "/")
	if len(parts) < n {
		return ""
	}
	return strings.Join(parts[len(parts)-n:], "/")
}

// rolesAt returns the texts of a claim. A full stop leads into an object, unless the claim has a name
// with a full stop.
func rolesAt(all map[string]any, path string) (list []string) {
	value, found := all[path]
	if first, rest, nested := strings.Cut(path, "."); !found && nested {
		if inner, is := all[first].(map[string]any); is {
			return rolesAt(inner, rest)
		}
	}
	switch value := value.(type) {
	case string:
		list = strings.Fields(value)
	case []any:
		for _, role := range value {
			if text, is := role.(string); is {
				list = append(list, text)
			}
		}
	}
	return list
}
