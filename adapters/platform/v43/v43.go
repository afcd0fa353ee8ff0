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

// Major is the one that clients of v43 are pinned to.
const Major platform.Major = 43

// Connect makes a client of a platform 43, as platform.Connect does. A server of another
// major is a VersionPinMismatchError unless the options allow the mismatch.
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v43
	return platform.Connect(ctx, baseURL, provider, options)
}

// New makes a client of a platform 43 without sending anything, as platform.New does.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v43
	return platform.New(baseURL, provider, options)
}

// Traits gives the row of 43 in the table of what differs.
func Traits() *platform.Traits { return Major.Traits() }

// Client, its options and the records are shared by all majors.
type (
	Client      = platform.Client
	Options     = platform.Options
	ListOptions = platform.ListOptions

	// Of the system and users of a platform 43.

	SystemInfo = platform.SystemInfo
	Settings   = platform.Settings
	Me         = platform.Me
	User       = platform.User

	// Of groups, roles and apps of a platform 43.

	UserGroup = platform.UserGroup
	UserRole  = platform.UserRole
	App       = platform.App
	HubApp    = platform.HubApp

	// Of what connects to a platform 43, and what it connects to.

	Token        = platform.Token
	Route        = platform.Route
	RouteAuth    = platform.RouteAuth
	OAuth2Client = platform.OAuth2Client
)
