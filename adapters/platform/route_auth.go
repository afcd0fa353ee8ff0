package platform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/auth"
)

// Types of authentication of a route at its upstream. Platform toolkit, section 2.9.
const (
	RouteAuthBasic       = "http-basic"
	RouteAuthToken       = "api-token"
	RouteAuthHeaders     = "api-headers"
	RouteAuthQueryParams = "api-query-params"
	RouteAuthOAuth2      = "oauth2-client-credentials" // from 42
)

// RouteAuth is the authentication of a route at its upstream. Its type determines which fields it uses.
// The platform accepts secrets and never returns them. JSON masks them; Codec.RouteAuth returns the
// JSON for sending.
type RouteAuth struct {
	Type         string                 `json:"type"`
	Username     string                 `json:"username,omitempty"`    // http-basic
	Password     auth.Secret            `json:"password,omitzero"`     // http-basic
	Token        auth.Secret            `json:"token,omitzero"`        // api-token; sent as ApiToken <token>
	Headers      map[string]auth.Secret `json:"headers,omitempty"`     // api-headers
	QueryParams  map[string]auth.Secret `json:"queryParams,omitempty"` // api-query-params
	TokenURI     string                 `json:"tokenUri,omitempty"`    // oauth2-client-credentials
	ClientID     string                 `json:"clientId,omitempty"`    // oauth2-client-credentials
	ClientSecret auth.Secret            `json:"clientSecret,omitzero"` // oauth2-client-credentials
	Scopes       string                 `json:"scopes,omitempty"`      // oauth2-client-credentials
	Extra        Extra                  `json:"-"`

	unknown auth.Secret // the whole value of an unknown type, because any of it may be secret
}

// openRouteAuth is a RouteAuth with its secrets in plain text.
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

// knownRouteAuth reports whether RouteAuth has the fields of a type.
func knownRouteAuth(name string) bool {
	return slices.Contains(Major(42).Features().RouteAuthTypes, name)
}

// UnmarshalJSON reads JSON of the platform or of a user.
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

// unmasked returns a text as a secret. A mask is not a secret.
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

// MarshalJSON masks secrets. For an unknown type it writes only the type.
func (r RouteAuth) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// RouteAuth returns the JSON for sending. An unknown type is returned as it was read.
func (w codec42) RouteAuth(r RouteAuth) (json.RawMessage, error) {
	if !r.unknown.IsZero() {
		return json.RawMessage(r.unknown.Reveal()), nil
	}
	if knownRouteAuth(r.Type) && !slices.Contains(w.features.RouteAuthTypes, r.Type) {
		return nil, fmt.Errorf("%s: routes do not support this authentication on %v; the types are %s", r.Type, w.features.Major, strings.Join(w.features.RouteAuthTypes, ", "))
	}
	return encodeRecord(openRouteAuth{
		r.Type, r.Username, r.Password.Reveal(), r.Token.Reveal(), revealed(r.Headers), revealed(r.QueryParams),
		r.TokenURI, r.ClientID, r.ClientSecret.Reveal(), r.Scopes, r.Extra,
	})
}
