// Package v41 is the client of the platform for major 41: the surface of package platform
// with the major pinned. Platform toolkit, section 7.3.
//
// Of 41: OAuth2 clients are identified by cid and have lists as arrays; routes have four
// types of authentication; the second factor and the date of the password are members of
// users; listing authorities is answered with 500; there is no OAuth2 server to log in at.
package v41

import (
	"context"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// Major is the one that clients of v41 are pinned to.
const Major platform.Major = 41

// Connect makes a client of a platform 41, as platform.Connect does. A server of another
// major is a VersionPinMismatchError unless the options allow the mismatch.
func Connect(ctx context.Context, baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v41
	return platform.Connect(ctx, baseURL, provider, options)
}

// New makes a client of a platform 41 without sending anything, as platform.New does.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	options.Pin = Major // v41
	return platform.New(baseURL, provider, options)
}

// Traits gives the row of 41 in the table of what differs.
func Traits() *platform.Traits { return Major.Traits() }

// Client, its options and the records are shared by all majors.
type (
	Client      = platform.Client
	Options     = platform.Options
	ListOptions = platform.ListOptions

	// Of the system and users of a platform 41.

	SystemInfo = platform.SystemInfo
	Settings   = platform.Settings
	Me         = platform.Me
	User       = platform.User

	// Of groups, roles and apps of a platform 41.

	UserGroup = platform.UserGroup
	UserRole  = platform.UserRole
	App       = platform.App
	HubApp    = platform.HubApp

	// Of what connects to a platform 41, and what it connects to.

	Token        = platform.Token
	Route        = platform.Route
	RouteAuth    = platform.RouteAuth
	OAuth2Client = platform.OAuth2Client
)
