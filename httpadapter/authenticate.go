package httpadapter

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/engine/operation"
)

// An Authenticator finds out who makes a request. It is safe for concurrent use.
type Authenticator interface {
	// Authenticate returns nil and nil if the request has no credentials of its kind. It returns an
	// error if they are not valid, or one that wraps access.ErrUnavailable if they cannot be judged
	// now. The client is shown the text of the error, so it has no secrets. The principal is not
	// modified afterwards. A method Scheme() string, if there is one, returns the scheme to which
	// the server then challenges: Bearer or Basic.
	Authenticate(r *http.Request) (*access.Principal, error)
}

// An Authorizer decides what a request may do. It is safe for concurrent use.
type Authorizer interface {
	// Authorize returns the grant of a principal, which is nil for a request without credentials. A
	// nil grant permits nothing: somebody unknown is asked for credentials, and somebody known is
	// refused. An error that does not wrap access.ErrForbidden or access.ErrUnavailable is a failure
	// of the server.
	Authorize(ctx context.Context, p *access.Principal) (*access.Grant, error)
}

// maxGrants is the number of principals whose grants are remembered.
const maxGrants = 10_000

// scopesAuthorizer is the Authorizer without a policy: a principal may do what its scopes permit.
// Parsing them takes longer than to look up a code, so grants are remembered.
type scopesAuthorizer struct {
	grants *lru.Cache[*access.Principal, *access.Grant]
}

func newScopesAuthorizer() (Authorizer, error) {
	grants, err := lru.New[*access.Principal, *access.Grant](maxGrants)
	return scopesAuthorizer{grants}, err
}

// Authorize implements Authorizer.
func (a scopesAuthorizer) Authorize(_ context.Context, p *access.Principal) (*access.Grant, error) {
	if p == nil {
		return nil, nil
	}
	if g, found := a.grants.Get(p); found {
		return g, nil
	}
	g := access.ScopesGrant(p)
	a.grants.Add(p, g)
	return g, nil
}

// guarded reports whether requests need a grant.
func (c *Config) guarded() bool { return len(c.Authenticators) > 0 || c.Authorizer != nil }

// openPaths are the paths below a base, and others, that need no grant. They describe the server, and
// what they return does not depend on resources.
var openPaths = [...]string{"/metadata", openapiPath, smartPath, versionsPath, "/healthz", "/readyz"}

// versionsPath is the path of $versions, by which clients choose a base before they log in. Only a GET
// is open, as a POST may bring along resources.
const versionsPath = "/$versions"

// isOpen reports whether a request needs no grant. Its context then has one that permits nothing.
func isOpen(r *http.Request) bool {
	if r.Method == http.MethodOptions {
		return true // says which methods a path has
	}
	if isOpenPage(r.URL.Path) {
		return true
	}
	_, rest, _ := baseOf(r.URL.Path)
	for _, path := range openPaths {
		if rest == path {
			return path != versionsPath || r.Method == http.MethodGet || r.Method == http.MethodHead
		}
	}
	return false
}

// authenticate returns the request with its principal and grant in its context. If the request must
// not be served, it responds and returns nil.
func (h *Handler) authenticate(w http.ResponseWriter, r *http.Request) *http.Request {
	ctx := r.Context()
	if isOpen(r) {
		if !h.withinRate(w, r) {
			return nil
		}
		return r.WithContext(access.WithGrant(ctx, new(access.Grant)))
	}
	if !h.mayLogIn(w, r) {
		return nil
	}
	p, err := h.principal(r)
	if err != nil {
		h.countLogin(r, err)
	} else {
		var grant *access.Grant
		if p != nil {
			ctx = access.WithPrincipal(ctx, p)
		}
		if grant, err = h.Authorizer.Authorize(ctx, p); err == nil && grant != nil {
			r = r.WithContext(access.WithGrant(ctx, grant))
			if !h.withinRate(w, r) {
				return nil
			}
			return r
		}
		err = h.refused(p, err)
	}
	if r = r.WithContext(ctx); h.withinRate(w, r) {
		h.unauthenticated(w, r, err)
	}
	return nil
}

// refused returns the error of a request that its Authorizer does not permit.
func (h *Handler) refused(p *access.Principal, err error) error {
	switch {
	case err != nil && !errors.Is(err, access.ErrForbidden):
		return err
	case p == nil:
		return &challenge{"", errors.New("this server needs credentials")}
	case err == nil:
		return access.ErrForbidden
	}
	return err
}

// principal returns who makes a request, or nil if the request has no credentials.
func (h *Handler) principal(r *http.Request) (*access.Principal, error) {
	given := r.Header["Authorization"]
	if len(given) > 1 {
		return nil, &challenge{"invalid_request", errors.New("the request has more than one Authorization header")}
	}
	if tokenIn(r.URL.RawQuery) {
		return nil, &challenge{"invalid_request", errors.New("a token in the address is refused, as addresses are logged; send it in the header Authorization")}
	}
	for _, a := range h.Authenticators {
		p, err := a.Authenticate(r)
		if err != nil && !errors.Is(err, access.ErrUnavailable) {
			err = &challenge{"invalid_token", err}
		}
		if p != nil || err != nil {
			return p, err
		}
	}
	if len(given) == 1 {
		return nil, &challenge{"invalid_token", errors.New("this server does not accept credentials of this kind")}
	}
	return nil, nil
}

// A challenge is an error of a request that has no valid credentials.
type challenge struct {
	code string // of RFC 6750, section 3.1; "" if the request has no credentials
	err  error
}

func (e *challenge) Error() string { return e.err.Error() }

// unauthenticated responds to a request that must not be served.
func (h *Handler) unauthenticated(w http.ResponseWriter, r *http.Request, err error) {
	if h.toLogin(w, r) {
		return
	}
	h.handle(root(), label{action: "authenticate"}, func(c *call) { c.fail(c.challenged(err)) })(w, r, nil)
}

// challenged sets the header WWW-Authenticate for an error of authentication, and returns the error
// with the status of its response.
func (c *call) challenged(err error) error {
	asked, is := errors.AsType[*challenge](err)
	if !is {
		return err
	}
	c.h.Logger.LogAttrs(c.r.Context(), slog.LevelDebug, "not authenticated", slog.String("id", requestID(c.w)), slog.Any("err", asked.err))
	c.w.Header()["Www-Authenticate"] = c.h.challenges(asked)
	switch asked.code {
	case "":
		return problem(http.StatusUnauthorized, "login", "%v", asked.err)
	case "invalid_request":
		return problem(http.StatusBadRequest, "security", "%v", asked.err)
	}
	return withStatus(http.StatusUnauthorized, operation.Problem{
		Exit: operation.ExitFailure, Code: "login", Text: "the credentials are not valid: " + asked.Error(),
	})
}

// challenges returns the values of the header WWW-Authenticate (RFC 9110, section 11.6.1; RFC 6750,
// section 3), one for each scheme that the server accepts.
func (h *Handler) challenges(why *challenge) []string {
	var list []string
	for _, a := range h.Authenticators {
		own, is := a.(interface{ Scheme() string })
		if !is {
			continue
		}
		if value := why.value(own.Scheme(), h.Name); !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	if len(list) == 0 { // a 401 has at least one
		list = append(list, why.value("Bearer", h.Name))
	}
	return list
}

// challengeScope sets the header WWW-Authenticate of a request whose token permits too little (RFC 6750,
// section 3.1). It names no scope that would do: which one the client can get is for its issuer.
func (c *call) challengeScope(err error) {
	if given := c.r.Header["Authorization"]; len(given) == 1 && len(given[0]) > 7 && strings.EqualFold(given[0][:7], "Bearer ") {
		c.w.Header()["Www-Authenticate"] = []string{(&challenge{"insufficient_scope", err}).value("Bearer", c.h.Name)}
	}
}

// value returns the challenge of a scheme.
func (e *challenge) value(scheme, realm string) string {
	value := scheme + ` realm="` + quotable(realm) + `"`
	switch {
	case scheme == "Basic":
		value += `, charset="UTF-8"`
	case e.code != "":
		value += `, error="` + e.code + `", error_description="` + quotable(e.Error()) + `"`
	}
	return value
}

// quotable returns a text with the characters only that RFC 6750 allows in error_description.
func quotable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '\\':
			return '\''
		case r < ' ', r > '~':
			return ' '
		}
		return r
	}, text)
}

// granted serves a request that may be served. On a server that guards its resources it refuses a
// request without a grant, whatever way it took.
func (h *Handler) granted(w http.ResponseWriter, r *http.Request) {
	if h.guarded() && access.GrantOf(r.Context()) == nil {
		h.unauthenticated(w, r, &challenge{"", errors.New("this request has no grant")})
		return
	}
	h.router.ServeHTTP(w, r)
}
