package platformtest

import "net/http"

// An Object is a record of the platform, as decoded from JSON.
type Object = map[string]any

// Credentials of the user with every authority.
const (
	Username = "admin"
	Password = "Admin-pass-4711"
	PAT      = "d2pat_adminAdminAdminAdminAdminAdmin0001"

	// SessionCookie is the value of the Cookie header.
	SessionCookie = "JSESSIONID=5E55104E55104E55104E"
	// XSRFToken accompanies SessionCookie in requests other than GET.
	XSRFToken = "c5f0a7a2-9d3e-4b61-8a17-d0d0cafe0001"
)

// Credentials of the user who may only enter data.
const (
	PlainUsername = "nurse"
	PlainPassword = "Nurse-pass-4711"
	PlainPAT      = "d2pat_nurseNurseNurseNurseNurseNurse0002"
)

// A User is an additional user.
type User struct {
	Username, Password, FirstName, Surname, Email string
	PAT                                           string // none if empty
	Roles                                         []string
	Disabled                                      bool
}

// Options describe a platform. The zero Options are a platform of major 42.
type Options struct {
	Major       int    // 41, 42 or 43; that of Version, or 42, if 0
	Version     string // in the system information, such as one of Releases; "2.41.4", "2.42.4" or "2.43.1" if empty
	ContextPath string // such as "/ctx"; may be empty

	// Root is the URL or path to which the base URL redirects, the login page of the major if empty.
	Root string

	Users    []User
	Objects  map[string][]Object // additional objects by plural
	Settings map[string]any      // additional settings; nil unsets a setting
	World    *World              // nil: the initial objects as they are
	Headers  http.Header         // of every response
	Faults   map[string]Fault    // by path, as for Platform.Fault

	// CORS are the allowed origins, in which * matches any text.
	CORS []string

	// Bearer returns the subject of a Bearer token. If it is nil, no Bearer token is accepted. See
	// Keys.Verify.
	Bearer func(token string) (subject string, err error)
	// Claims returns the claims of a Bearer token, and replaces Bearer, whose subject is both sub and
	// username. See Keys.Claims.
	Claims func(token string) (Claims, error)
	// Provider is in the configuration of the server; see Platform.Configure.
	Provider *Provider
	// RequireOpenID accepts Bearer tokens only if a user's openId is the subject. Otherwise the
	// subject may also be a user name.
	RequireOpenID bool

	// Upstream responds in place of all hosts that routes lead to, except loopback addresses, which
	// receive real requests. No other host ever does: if Upstream is nil or panics, there is no
	// response.
	Upstream http.Handler
}
