// Package v42 is the client of the platform with the major pinned to 42. It has the API of package
// platform. Platform toolkit, section 7.3.
//
// On major 42, OAuth2 clients are identified by clientId and have lists as texts with commas. Routes can
// obtain tokens with client credentials. /api/users/twoFactor, if it exists, shows who has a second
// factor.
package v42

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// Major is the major to which clients of this package are pinned.
const Major platform.Major = 42

// Connect is platform.Connect with the major pinned. For a server with another major it returns a
// VersionPinMismatchError, unless the options allow the mismatch.
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major
	return platform.Connect(ctx, baseURL, provider, options)
}

// New is platform.New with the major pinned.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major
	return platform.New(baseURL, provider, options)
}

// The client, its options and the records of package platform.
type (
	Client       = platform.Client
	Options      = platform.Options
	ListOptions  = platform.ListOptions
	SystemInfo   = platform.SystemInfo
	Settings     = platform.Settings
	Me           = platform.Me
	User         = platform.User
	UserGroup    = platform.UserGroup
	UserRole     = platform.UserRole
	App          = platform.App
	HubApp       = platform.HubApp
	Token        = platform.Token
	Route        = platform.Route
	RouteAuth    = platform.RouteAuth
	OAuth2Client = platform.OAuth2Client
)
