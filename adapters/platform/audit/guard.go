package audit

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/adapters/platform"
)

// ErrForbidden is in the error of a request that an audit must not send. It is a veto: see
// platform.ErrVetoed.
var ErrForbidden = errors.New("an audit does not send this request")

// permitted are the paths below the context path that an audit may request. Platform toolkit, section
// 5.2.
var permitted = []string{
	"/", "/api/system/info", "/api/me", "/api/me/authorization", "/api/userRoles", "/api/users", "/api/users/twoFactor",
	"/api/users/twoFactor/summary", "/api/userGroups", "/api/schemas", "/api/systemSettings", "/api/configuration/selfRegistrationRole",
	"/api/configuration/corsWhitelist", "/api/loginConfig", "/api/oAuth2Clients", "/api/apiToken", "/api/routes", "/api/apps",
	"/api/appHub", "/api/sqlViews", "/api/dataSets", "/api/programs", "/api/programStages", "/api/trackedEntityTypes",
	"/api/categoryOptions", "/api/relationshipTypes", "/api/aggregateDataExchanges", "/api/dashboards", "/api/documents",
	"/api/maps", "/api/visualizations", "/api/eventReports", "/api/eventVisualizations", "/api/reports", "/api/dataElements",
	"/api/indicators",
}

// Permitted returns the paths that an audit may request, below the address of the platform.
func Permitted() []string { return slices.Clone(permitted) }

// A Guard is a transport that sends GET requests of permitted paths to one platform, and nothing else. It
// remembers its first veto, refuses everything from then on, and Scanner.Run ends with it, so that no
// check can swallow it.
type Guard struct {
	next http.RoundTripper
	base *url.URL

	mu     sync.Mutex
	vetoed error
}

// NewGuard returns a guard in front of a transport for the platform at a base URL.
func NewGuard(next http.RoundTripper, baseURL string) (*Guard, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%.200q is not the URL of a platform", baseURL)
	}
	base.Path = strings.TrimRight(base.Path, "/")
	return &Guard{next: next, base: base}, nil
}

// RoundTrip sends a permitted request.
func (g *Guard) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := g.check(request); err != nil {
		if request.Body != nil {
			request.Body.Close()
		}
		return nil, err
	}
	return g.next.RoundTrip(request)
}

// CloseIdleConnections closes those of the transport behind the guard.
func (g *Guard) CloseIdleConnections() {
	if next, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// Err returns the first veto, or nil.
func (g *Guard) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.vetoed
}

func (g *Guard) check(request *http.Request) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.vetoed == nil {
		if why := g.objection(request); why != "" {
			g.vetoed = &Veto{Method: request.Method, Path: request.URL.EscapedPath(), Reason: why}
		}
	}
	return g.vetoed
}

// objection returns why a request must not be sent, or "".
func (g *Guard) objection(request *http.Request) string {
	path, below := strings.CutPrefix(request.URL.Path, g.base.Path)
	switch {
	case request.Method != http.MethodGet:
		return "its method is not GET"
	case request.ContentLength != 0 || request.Body != nil && request.Body != http.NoBody:
		return "it has a body"
	case request.URL.Scheme != g.base.Scheme || !strings.EqualFold(request.URL.Host, g.base.Host):
		return "it is for another server"
	case !below || request.URL.EscapedPath() != g.base.EscapedPath()+path || !slices.Contains(permitted, path):
		return "its path is not on the list"
	}
	return ""
}

// A Veto is the error of a request that the Guard refused.
type Veto struct {
	Method, Path string // without the query
	Reason       string
}

func (v *Veto) Error() string {
	return fmt.Sprintf("%s %s: %v: %s", v.Method, printable(v.Path), ErrForbidden, v.Reason)
}

// Is reports whether target is ErrForbidden or platform.ErrVetoed.
func (v *Veto) Is(target error) bool { return target == ErrForbidden || target == platform.ErrVetoed }

// Limits are the sentences that every report states about what an audit does not do.
func Limits() []string {
	return []string{
		"The audit only reads. It sends GET requests, and only to a fixed list of paths; anything else is refused before it is sent. An account that signs in by OAuth2 may get a new token.",
		"At most one login is tried, with the user name and password that a new installation has, and only once. It can be turned off.",
		"Routes are never executed. No data values, tracked entities, events, files or audit logs are read, and no secrets are requested.",
		"The only contact outside the platform is the public list of releases. The app catalogue is read through the platform.",
		"A control that passed was evaluated with the rights of the audit account: objects that it cannot see are not judged. Host names of routes are not resolved.",
	}
}
