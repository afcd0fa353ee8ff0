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

// A Route forwards requests through the platform to another server, its upstream. Platform toolkit,
// section 2.9.
type Route struct {
	ID                     string            `json:"id,omitempty"`
	Code                   string            `json:"code,omitempty"`
	Name                   string            `json:"name,omitempty"`
	Description            string            `json:"description,omitempty"`
	URL                    string            `json:"url,omitempty"` // of the upstream; /** at its end allows any path below
	Disabled               bool              `json:"disabled"`
	Authorities            []string          `json:"authorities,omitempty"` // a user needs one of them
	Auth                   *RouteAuth        `json:"auth,omitempty"`
	Headers                map[string]string `json:"headers,omitempty"` // sent to the upstream
	ResponseTimeoutSeconds int               `json:"responseTimeoutSeconds,omitempty"`
	Extra                  Extra             `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (r *Route) UnmarshalJSON(data []byte) error { return decodeRecord(data, r) }

// MarshalJSON includes the members of Extra, and masks secrets.
func (r Route) MarshalJSON() ([]byte, error) { return encodeRecord(r) }

// Wildcard reports whether the URL of the upstream ends in /**, so that a path may follow.
func (r Route) Wildcard() bool { return strings.HasSuffix(r.URL, "/**") }

// ErrRoutePath is returned when a route with a wildcard is called without a path, or when a path contains
// a .. segment, which could lead out of the route.
var ErrRoutePath = errors.New("the path does not fit the route")

// runPath returns the path that calls a route. The path for the upstream is not escaped.
func runPath(uid, path string) (string, error) {
	run := routePath(uid) + "/run"
	if path = strings.TrimPrefix(path, "/"); path == "" {
		return run, nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return "", fmt.Errorf("%w: %q contains the segment %q", ErrRoutePath, path, part)
		}
		if run += "/"; part != "" { // as in a/ and a//b
			run += segment(part)
		}
	}
	return run, nil
}

// encodeRoute writes a route for sending, with its secrets in plain text.
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

// routeSecrets returns the secrets of a route, which errors must not repeat.
func routeSecrets(a *RouteAuth) []auth.Secret {
	secrets := []auth.Secret{a.Password, a.Token, a.ClientSecret}
	for _, values := range []map[string]auth.Secret{a.Headers, a.QueryParams} {
		secrets = slices.AppendSeq(secrets, maps.Values(values))
	}
	return secrets
}

// patchSecrets returns the secrets in a patch of a route's authentication.
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
