// Package v43 is the client of the platform for major 43: the surface of package platform
// with the major pinned. Platform toolkit, section 7.3.
//
// Of 43, besides what came with 42: sharing objects have no externalAccess, option combos
// are made anew only when asked for, and releases from 2.43.2 refuse the scope ALL.
package v43

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// Major is what clients of this package are pinned to.
const Major platform.Major = 43

// Connect is platform.Connect, pinned. A server of another major is a
// VersionPinMismatchError unless the options allow the mismatch.
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major
	return platform.Connect(ctx, baseURL, provider, options)
}

// New is platform.New, pinned.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major
	return platform.New(baseURL, provider, options)
}

// Client, its options and the records are those of package platform.
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
