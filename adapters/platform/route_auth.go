package platform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/auth"
)

// Types of authentication that a route has towards its upstream. Platform toolkit, section
// 2.9.
const (
	RouteAuthBasic       = "http-basic"
	RouteAuthToken       = "api-token"
	RouteAuthHeaders     = "api-headers"
	RouteAuthQueryParams = "api-query-params"
	RouteAuthOAuth2      = "oauth2-client-credentials" // from 42
)

// RouteAuth is how a route authenticates to its upstream: which fields it has depends on
// its type. The platform takes secrets and never gives them. As JSON secrets are masked;
// Codec.RouteAuth returns what is sent.
type RouteAuth struct {
	Type         string                 `json:"type"`
	Username     string                 `json:"username,omitempty"`    // http-basic
	Password     auth.Secret            `json:"password,omitzero"`     // http-basic
	Token        auth.Secret            `json:"token,omitzero"`        // api-token; the upstream gets ApiToken <token>
	Headers      map[string]auth.Secret `json:"headers,omitempty"`     // api-headers
	QueryParams  map[string]auth.Secret `json:"queryParams,omitempty"` // api-query-params
	TokenURI     string                 `json:"tokenUri,omitempty"`    // oauth2-client-credentials
	ClientID     string                 `json:"clientId,omitempty"`    // oauth2-client-credentials
	ClientSecret auth.Secret            `json:"clientSecret,omitzero"` // oauth2-client-credentials
	Scopes       string                 `json:"scopes,omitempty"`      // oauth2-client-credentials
	Extra        Extra                  `json:"-"`

	unknown auth.Secret // all of a type that is not known, for any of it may be a secret
}

// openRouteAuth is a RouteAuth with its secrets in the open.
type openRouteAuth struct {
	Type         string            `json:"type"`
	Username     string            `json:"username,omitempty"`
	Password     string            `json:"password,omitempty"`
	Token        string            `json:"token,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	QueryParams  map[string]string `json:"queryParams,omitempty"`
	TokenURI     string            `json:"tokenUri,omitempty"`
	ClientID     string            `json:"clientId,omitempty"`
	ClientSecret string            `json:"clientSecret,omitempty"`
	Scopes       string            `json:"scopes,omitempty"`
	Extra        Extra             `json:"-"`
}

// knownRouteAuth reports whether the fields say all of a type.
func knownRouteAuth(name string) bool {
	return slices.Contains(Major(42).Features().RouteAuthTypes, name)
}

// UnmarshalJSON reads what the platform gives, or a document that somebody wrote.
func (r *RouteAuth) UnmarshalJSON(data []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	*r = RouteAuth{Type: kind.Type}
	if !knownRouteAuth(kind.Type) {
		r.unknown = auth.NewSecret(string(data))
		return nil
	}
	var open openRouteAuth
	if err := decodeRecord(data, &open); err != nil {
		return fmt.Errorf("auth of a route: %w", err)
	}
	r.Username, r.TokenURI, r.ClientID, r.Scopes, r.Extra = open.Username, open.TokenURI, open.ClientID, open.Scopes, open.Extra
	r.Password, r.Token, r.ClientSecret = unmasked(open.Password), unmasked(open.Token), unmasked(open.ClientSecret)
	r.Headers, r.QueryParams = sealed(open.Headers), sealed(open.QueryParams)
	return nil
}

func sealed(open map[string]string) map[string]auth.Secret {
	if open == nil {
		return nil
	}
	values := map[string]auth.Secret{}
	for name, value := range open {
		values[name] = unmasked(value)
	}
	return values
}

// unmasked makes a secret of a text. A mask that was written is not read as a secret.
func unmasked(text string) auth.Secret {
	if secret := auth.NewSecret(text); secret.String() != text {
		return secret
	}
	return auth.Secret{}
}

func revealed(values map[string]auth.Secret) map[string]string {
	open := map[string]string{}
	for name, value := range values {
		open[name] = value.Reveal()
	}
	return open
}

// MarshalJSON masks secrets; of a type that is not known it writes the type only.
func (r RouteAuth) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// RouteAuth returns a type that no major is known to have as it was read.
func (w codec42) RouteAuth(r RouteAuth) (json.RawMessage, error) {
	if !r.unknown.IsZero() {
		return json.RawMessage(r.unknown.Reveal()), nil
	}
	if knownRouteAuth(r.Type) && !slices.Contains(w.features.RouteAuthTypes, r.Type) {
		return nil, fmt.Errorf("%s: a route cannot authenticate with it on %v; types are %s", r.Type, w.features.Major, strings.Join(w.features.RouteAuthTypes, ", "))
	}
	return encodeRecord(openRouteAuth{
		r.Type, r.Username, r.Password.Reveal(), r.Token.Reveal(), revealed(r.Headers), revealed(r.QueryParams),
		r.TokenURI, r.ClientID, r.ClientSecret.Reveal(), r.Scopes, r.Extra,
	})
}
