package platformtest

import "net/http"

// Object is a record of the platform as JSON has it.
type Object = map[string]any

// Credentials of the user that Username names, who holds every authority.
const (
	Username = "admin"
	Password = "Admin-pass-4711"
	PAT      = "d2pat_adminAdminAdminAdminAdminAdmin0001"

	// SessionCookie is the value of the header Cookie.
	SessionCookie = "JSESSIONID=5E55104E55104E55104E"
	// XSRFToken goes along with SessionCookie in what is not a GET.
	XSRFToken = "c5f0a7a2-9d3e-4b61-8a17-d0d0cafe0001"
)

// Credentials of the user that PlainUsername names, who may enter data and no more.
const (
	PlainUsername = "nurse"
	PlainPassword = "Nurse-pass-4711"
	PlainPAT      = "d2pat_nurseNurseNurseNurseNurseNurse0002"
)

// User is a user in addition to those of the world.
type User struct {
	Username, Password, FirstName, Surname, Email string
	PAT                                           string // none where empty
	Roles                                         []string
	Disabled                                      bool
}

// Options are the scenario of a platform. The zero Options are the world of major 42.
type Options struct {
	Major       int    // 41, 42 or 43; 42 where 0
	Version     string // what system info says; "2.41.4", "2.42.4" or "2.43.0" where empty
	ContextPath string // "/ctx", say; none where empty

	// Root is where the base URL itself redirects to, an address or a path; the login page
	// of the major where empty.
	Root string

	Users    []User
	Objects  map[string][]Object // in addition to the world's, by plural
	Settings map[string]any      // over the world's; nil unsets one
	Headers  http.Header         // of every answer
	Faults   map[string]Fault    // by path, as Platform.Fault takes them

	// CORS are the origins on the whitelist, with * for any text.
	CORS []string

	// Bearer tells whose a token is. Without it no Bearer token is taken. Keys.Verify is one.
	Bearer func(token string) (subject string, err error)
	// RequireOpenID takes Bearer tokens of users only whose openId is the subject; without
	// it a user name will do.
	RequireOpenID bool

	// Upstream answers for all hosts that routes lead to but those of a loopback address,
	// which are asked over HTTP. No other host is ever asked: without Upstream, or when it
	// panics, they do not answer.
	Upstream http.Handler
}
