package platform

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/roget-health/roget/auth"
)

// What to do about credentials that are not accepted, where it is not the server that lacks
// something (auth.AdviceJWT, auth.AdviceIssuer). Platform toolkit, section 1.6.8.
const (
	hintOpenID  = `set the user's openId to the sub claim of the token: PATCH /api/users/{uid} with [{"op":"add","path":"/openId","value":"<sub>"}]`
	hintPAT     = "the personal access token is wrong, has expired or was revoked; create another one, or use the cookie of a session where the server is older than 2.38 or has such tokens switched off"
	hintBasic   = "check the user name and password"
	hintSession = "the session has ended; copy a fresh cookie from the browser"
)

// refusal makes an error of an answer that is no success. Platform toolkit, section 2.3.
func refusal(request Request, response *Response, secrets sent) error {
	e := newAPIError(request, response.Status, []byte(secrets.masked(string(response.Body))))
	e.Path = secrets.masked(e.Path)
	refused := &AuthenticationError{Method: e.Method, Path: e.Path, Status: e.Status}
	switch {
	case response.Status == http.StatusUnauthorized:
		description := challenge(response.Header.Values("WWW-Authenticate"), "error_description")
		refused.Detail = auth.Printable(secrets.masked(cmp.Or(description, e.Detail())), maxDetail)
		refused.Hint = hint(secrets.scheme, refused.Detail)
		return refused
	case response.Status >= 400:
		return e
	}
	location, err := url.Parse(response.Header.Get("Location"))
	switch {
	case err != nil || location.Path == "" && location.Host == "":
		e.detail = "a redirect without an address"
		return e
	case isLogin(location.Path):
		refused.Detail, refused.Hint = "the server sent the request to its login page", hint(secrets.scheme, "")
		return refused
	}
	to := auth.Printable(secrets.masked(location.Host+location.EscapedPath()), 200)
	e.detail = "a redirect to " + to + ", which is not followed; correct the base URL if the platform is there"
	return e
}

// notJSON makes an error of a success that is no JSON: a page that something between client
// and platform made.
func notJSON(request Request, response *Response, secrets sent) error {
	e := newAPIError(request, response.Status, []byte(secrets.masked(string(response.Body))))
	e.Path = secrets.masked(e.Path)
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	e.detail = "the answer is not JSON but " + auth.Printable(cmp.Or(kind, "of no content type"), 80)
	if kind == "application/json" {
		e.detail = "the answer says to be JSON, but is not"
	}
	if text := bodyText(e.Body); text != "" {
		e.detail += ": " + text
	}
	return e
}

// isLogin reports whether a path looks like a login page, be it the platform's or an
// identity provider's. Paths of the API are none, whatever they are about.
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

// hint says what to do about credentials of a scheme that are refused, and what the server
// says of it.
func hint(scheme, detail string) string {
	detail = strings.ToLower(detail)
	switch strings.ToLower(scheme) {
	case "bearer":
		switch {
		case strings.Contains(detail, "mapping claim"):
			return hintOpenID
		case strings.Contains(detail, "issuer"):
			return auth.AdviceIssuer
		}
		return auth.AdviceJWT
	case "apitoken":
		return hintPAT
	case "basic":
		return hintBasic
	case "cookie":
		return hintSession
	}
	return ""
}
