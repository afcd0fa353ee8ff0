package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roget-health/roget/auth"
)

// Route is a way through the platform to another server, its upstream. Platform toolkit,
// section 2.9. Unknown members are kept in Extra.
type Route struct {
	ID                     string            `json:"id,omitempty"`
	Code                   string            `json:"code,omitempty"`
	Name                   string            `json:"name,omitempty"`
	Description            string            `json:"description,omitempty"`
	URL                    string            `json:"url,omitempty"` // of the upstream; with /** at its end any path below
	Disabled               bool              `json:"disabled"`
	Authorities            []string          `json:"authorities,omitempty"` // one of which a user needs
	Auth                   *RouteAuth        `json:"auth,omitempty"`
	Headers                map[string]string `json:"headers,omitempty"` // sent to the upstream
	ResponseTimeoutSeconds int               `json:"responseTimeoutSeconds,omitempty"`
	Extra                  Extra             `json:"-"`
}

// UnmarshalJSON keeps unknown members in Extra.
func (r *Route) UnmarshalJSON(data []byte) error { return decodeRecord(data, r) }

// MarshalJSON writes the members of Extra as well, and secrets masked.
func (r Route) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// Wildcard reports whether the upstream is more than one address: its URL ends in /**.
func (r Route) Wildcard() bool { return strings.HasSuffix(r.URL, "/**") }

// ErrRoutePath reports whether a route with a wildcard was to run without a path, or that a
// path has a step upwards, which could lead out of the route.
var ErrRoutePath = errors.New("the path does not fit the route")

// runPath makes the path that runs a route. The path for the upstream is as it is read,
// not escaped.
func runPath(uid, path string) (string, error) {
	run := routePath(uid) + "/run"
	if path = strings.TrimPrefix(path, "/"); path == "" {
		return run, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return "", fmt.Errorf("%w: %q has a step %q", ErrRoutePath, path, part)
		}
		if run += "/"; part != "" { // as in a/ and a//b
			run += segment(part)
		}
	}
	return run, nil
}

// encodeRoute writes a route for the platform, its secrets in the open.
func encodeRoute(route Route, codec Codec) (json.RawMessage, error) {
	credentials, err := codec.RouteAuth(*route.Auth)
	if err != nil {
		return nil, err
	}
	members := Extra{}
	maps.Copy(members, route.Extra)
	members["auth"] = credentials
	route.Auth, route.Extra = nil, members
	return encodeRecord(route)
}

// routeSecrets are the secrets of a route, which errors must not repeat.
func routeSecrets(a *RouteAuth) []auth.Secret {
	secrets := []auth.Secret{a.Password, a.Token, a.ClientSecret}
	for _, values := range []map[string]auth.Secret{a.Headers, a.QueryParams} {
		secrets = slices.AppendSeq(secrets, maps.Values(values))
	}
	return secrets
}

// patchSecrets are the secrets in changes of a route's authentication.
func patchSecrets(patch []PatchOperation) (secrets []auth.Secret) {
	for _, operation := range patch {
		if !strings.HasPrefix(operation.Path, "/auth") {
			continue
		}
		var text string
		var whole RouteAuth
		if json.Unmarshal(operation.Value, &text) == nil {
			secrets = append(secrets, auth.NewSecret(text))
		} else if json.Unmarshal(operation.Value, &whole) == nil {
			secrets = append(secrets, routeSecrets(&whole)...)
		}
	}
	return secrets
}
