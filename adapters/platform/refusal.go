package platform

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// Hints for refused credentials. Hints for a server that lacks a setting are in auth.Advice. Platform
// toolkit, section 1.6.8, and rules by version V1 and V2.
const (
	hintOpenID   = `set the user's openId to the sub claim of the token: PATCH /api/users/{uid} with [{"op":"add","path":"/openId","value":"<sub>"}]`
	hintClaim    = "the configuration of the server has an oidc.provider.* for this issuer whose mapping_claim is neither username nor email; remove that provider, which the server does not need, and restart"
	hintAudience = "the configuration of the server has an oidc.provider.* for this issuer whose client_id differs from that of the profile; "
	hintUsername = "the token does not name its user, because the scope username was not granted: register the client with the scopes openid and username, give the profile the scope \"openid username\", and log in again"
	hintNoUser   = "the platform has no user with this name; log in as another user, or ask an administrator to create the account"
	hintPAT      = "the personal access token is wrong, has expired or was revoked; create another token; if the server is older than 2.38 or has tokens disabled, use a session cookie"
	hintBasic    = "check the user name and password"
	hintSession  = "the session has ended; copy a fresh cookie from the browser"
	hintXSRF     = "the profile has no XSRF token, which some platforms require for writes: add the profile again with the value of the cookie XSRF-TOKEN in PLATFORM_SESSION_XSRF"
)

// refusal returns the error for a response that is not a success, of a platform whose version may be "". Platform
// toolkit, section 2.3.
func refusal(request Request, response *Response, secrets sent, version string) error {
	e := newAPIError(request, response.Status, []byte(secrets.masked(string(response.Body))))
	e.Path = secrets.masked(e.Path)
	refused := &AuthenticationError{Method: e.Method, Path: e.Path, Status: e.Status}
	switch {
	case response.Status == http.StatusUnauthorized:
		description := challenge(response.Header.Values("WWW-Authenticate"), "error_description")
		refused.Detail = auth.Printable(secrets.masked(cmp.Or(description, e.Detail())), maxDetail)
		refused.Hint = hint(secrets.scheme, refused.Detail, version)
		if secrets.refresh != nil {
			refused.Detail = auth.Printable(strings.TrimPrefix(refused.Detail+"; the token could not be refreshed: "+secrets.masked(secrets.refresh.Error()), "; "), maxDetail)
		}
		return refused
	case response.Status >= 400:
		if e.Status == http.StatusForbidden && secrets.scheme == "Cookie" && secrets.headers["X-XSRF-TOKEN"] == "" && !reads(e.Method) {
			e.hint = hintXSRF
		}
		return e
	}
	location, err := url.Parse(response.Header.Get("Location"))
	switch {
	case err != nil || location.Path == "" && location.Host == "":
		e.detail = "a redirect without an address"
		return e
	case isLogin(location.Path):
		refused.Detail, refused.Hint = "the server redirected the request to its login page", hint(secrets.scheme, "", version)
		return refused
	}
	to := auth.Printable(secrets.masked(location.Host+location.EscapedPath()), 200)
	e.detail = "a redirect to " + to + ", which is not followed; correct the base URL if the platform is there"
	return e
}

// notJSON returns the error for a success that is not JSON, such as the page of a proxy.
func notJSON(request Request, response *Response, secrets sent) error {
	e := newAPIError(request, response.Status, []byte(secrets.masked(string(response.Body))))
	e.Path = secrets.masked(e.Path)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	e.detail = "the response is not JSON but " + auth.Printable(cmp.Or(kind, "without a content type"), 80)
	if kind == "application/json" {
		e.detail = "the response claims to be JSON, but is not"
	}
	if text := bodyText(e.Body); text != "" {
		e.detail += ": " + text
	}
	return e
}

// isLogin reports whether a path looks like a login page of the platform or of an identity provider.
// Paths of the API never do.
func isLogin(path string) bool {
	path = strings.ToLower(path)
	if strings.Contains(path, "/api/") {
		return false
	}
	for _, word := range []string{"login", "signin", "sign-in", "/oauth2/authoriz", "/saml"} {
		if strings.Contains(path, word) {
			return true
		}
	}
	return false
}

// hint returns what to do about refused credentials of a scheme, given the server's description and its
// version, which may be "".
func hint(scheme, detail, version string) string {
	switch strings.ToLower(scheme) {
	case "bearer":
		return hintToken(strings.ToLower(detail), version)
	case "apitoken":
		return hintPAT
	case "basic":
		return hintBasic
	case "cookie":
		return hintSession
	}
	return ""
}

// hintToken returns what to do about a token that was refused.
func hintToken(detail, version string) string {
	rules, known := RulesOf(version)
	advice := auth.AdviceFor(rules.ServerKeys)
	switch {
	case strings.Contains(detail, "invalid mapping claim"):
		return hintClaim
	case strings.Contains(detail, "invalid audience") && known && !rules.NeedsKey(keyProvider):
		return hintAudience + "remove that provider, which the server does not need, and restart"
	case strings.Contains(detail, "invalid audience"):
		return hintAudience + "set it to the client id of the profile, and restart"
	case strings.Contains(detail, "mapping claim") && strings.Contains(detail, "'null'"):
		return hintUsername
	case strings.Contains(detail, "mapping claim: 'username'"), strings.Contains(detail, "mapping claim: 'email'"):
		return hintNoUser
	case strings.Contains(detail, "mapping claim"):
		return hintOpenID
	case strings.Contains(detail, "issuer"):
		return advice.Issuer
	}
	return advice.JWT
}
