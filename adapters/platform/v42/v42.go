// Package v42 is the client of the platform for major 42: the surface of package platform
// with the major pinned. Platform toolkit, section 7.3.
//
// Of 42: OAuth2 clients are identified by clientId and have lists as texts with commas;
// routes can get tokens for client credentials; who has a second factor is told by
// /api/users/twoFactor, if that is there.
package v42

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// Major is the one that clients of v42 are pinned to.
const Major platform.Major = 42

// Connect makes a client of a platform 42, as platform.Connect does. A server of another
// major is a VersionPinMismatchError unless the options allow the mismatch.
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v42
	return platform.Connect(ctx, baseURL, provider, options)
}

// New makes a client of a platform 42 without sending anything, as platform.New does.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v42
	return platform.New(baseURL, provider, options)
}

// Traits gives the row of 42 in the table of what differs.
func Traits() *platform.Traits { return Major.Traits() }

// Client, its options and the records are shared by all majors.
type (
	Client      = platform.Client
	Options     = platform.Options
	ListOptions = platform.ListOptions

	// Of the system and users of a platform 42.

	SystemInfo = platform.SystemInfo
	Settings   = platform.Settings
	Me         = platform.Me
	User       = platform.User

	// Of groups, roles and apps of a platform 42.

	UserGroup = platform.UserGroup
	UserRole  = platform.UserRole
	App       = platform.App
	HubApp    = platform.HubApp

	// Of what connects to a platform 42, and what it connects to.

	Token        = platform.Token
	Route        = platform.Route
	RouteAuth    = platform.RouteAuth
	OAuth2Client = platform.OAuth2Client
)
