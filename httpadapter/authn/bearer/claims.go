package bearer

import (
	"encoding/json"
	"strings"

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

// client returns the OAuth client.
func (c *claims) client() string {
	if c.ClientID != "" {
		return c.ClientID
	}
	return c.Party
}

// principal returns the principal of a token with these claims.
func (c *claims) principal(i Issuer, all map[string]any) *access.Principal {
	p := &access.Principal{
		Subject: c.Subject, Issuer: c.Issuer, Client: c.client(), Method: "jwt",
		Scopes:  append(append([]string{}, c.Scope...), c.ScopeArray...), // never nil: a token says what it is for
		Patient: lastSegments(c.Patient, 1), User: lastSegments(c.User, 2),
	}
	if p.Subject == "" {
		p.Subject = p.Client
	}
	for _, path := range i.Roles {
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
