package httpadapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/access"
)

// badges accepts Bearer tokens of the form badge-SCOPE.
type badges struct{}

func (badges) Scheme() string { return "Bearer" }

func (badges) Authenticate(r *http.Request) (*access.Principal, error) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer badge-")
	switch {
	case !found:
		return nil, nil
	case token == "expired":
		return nil, errors.New("the badge \"x\"\r\nInjected: yes expired")
	case token == "later":
		return nil, fmt.Errorf("%w: the office is closed", access.ErrUnavailable)
	}
	return &access.Principal{Subject: "bearer", Method: "token", Scopes: []string{token}}, nil
}

// guard makes a server that needs credentials.
func guard(c *Config) { c.Authenticators = []Authenticator{badges{}} }

// guarded sends a request with Authorization headers and returns the response.
func (c *client) guarded(method, target string, authorization ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, target, nil)
	r.Header["Authorization"] = authorization
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

func TestAuthenticate(t *testing.T) {
	c := newClient(t, guard)
	const lookup = "/r4/CodeSystem/$lookup?system=http://t.example/animals&code=dog"
	for _, row := range []struct {
		target, authorization string
		status                int
		code, challenge       string
	}{
		{lookup, "", 401, "login", `Bearer realm="Roget"`},
		{lookup, "Bearer badge-system/*.rs", 200, "", ""},
		{lookup, "Bearer badge-expired", 401, "login", `Bearer realm="Roget", error="invalid_token", error_description="the badge 'x'  Injected: yes expired"`},
		{lookup, "Bearer badge-later", 503, "transient", ""},
		{lookup, "Bearer other", 401, "login", `Bearer realm="Roget", error="invalid_token", error_description="this server does not accept credentials of this kind"`},
		{lookup, "Negotiate x", 401, "login", `Bearer realm="Roget", error="invalid_token", error_description="this server does not accept credentials of this kind"`},
		{lookup + "&access_token=badge-system/*.rs", "", 400, "security", ""},
		{lookup + "&%61ccess_token=badge-system/*.rs", "Bearer badge-system/*.rs", 400, "security", ""},
		{"/", "", 401, "login", ""},
		{"/nothing/here", "", 401, "login", ""},
		{"/metrics", "", 401, "login", ""},
		{"/metadata/", "", 401, "login", ""},
		{"/x/../metadata", "", 401, "login", ""},
		{"/CodeSystem/metadata", "", 401, "login", ""},
		{"/metadata", "", 200, "", ""},
		{"/metadata", "Bearer badge-expired", 200, "", ""},
		{"/r5/metadata", "", 200, "", ""},
		{"/baseR4/metadata?mode=terminology", "", 200, "", ""},
		{"/$versions", "", 200, "", ""},
		{"/r5/$versions", "Bearer badge-expired", 200, "", ""},
		{"/baseR4/$versions?_format=xml", "", 200, "", ""},
		{"/$versions/", "", 401, "login", ""},
		{"/CodeSystem/$versions", "", 401, "login", ""},
		{"/healthz", "", 200, "", ""},
		{"/readyz", "", 200, "", ""},
	} {
		var authorization []string
		if row.authorization != "" {
			authorization = []string{row.authorization}
		}
		w := c.guarded(http.MethodGet, row.target, authorization...)
		if w.Code != row.status || !strings.Contains(w.Body.String(), row.code) {
			t.Errorf("%s with %q: %d %s, want %d with %q", row.target, row.authorization, w.Code, w.Body, row.status, row.code)
		}
		challenge := w.Header().Get("WWW-Authenticate")
		if row.challenge != "" && challenge != row.challenge || (row.status == 401) != (challenge != "") && row.status != 400 {
			t.Errorf("%s with %q: WWW-Authenticate is %q, want %q", row.target, row.authorization, challenge, row.challenge)
		}
	}
	if w := c.guarded(http.MethodGet, lookup, "Bearer badge-system/*.rs", "Bearer badge-system/*.rs"); w.Code != 400 {
		t.Errorf("two Authorization headers: %d %s", w.Code, w.Body)
	}
	if w := c.guarded(http.MethodGet, lookup, "Bearer badge-later"); w.Header().Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	if w := c.guarded(http.MethodHead, "/$versions"); w.Code != 200 {
		t.Errorf("HEAD $versions: %d", w.Code)
	}
	if w := c.guarded(http.MethodPost, "/$versions"); w.Code != 401 {
		t.Errorf("POST $versions: %d %s", w.Code, w.Body)
	}
	if w := c.guarded(http.MethodOptions, "/CodeSystem/animals"); w.Code == 401 {
		t.Errorf("OPTIONS: %d", w.Code)
	}
}

// TestPreflight sends the request of a browser before one with a token: it has no credentials.
func TestPreflight(t *testing.T) {
	c := newClient(t, guard, func(c *Config) { c.CORSOrigins = []string{"https://app.example"} })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/Patient/1", nil)
	r.Header.Set("Origin", "https://app.example")
	r.Header.Set("Access-Control-Request-Method", "PUT")
	r.Header.Set("Access-Control-Request-Headers", "authorization")
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/Patient/1", nil)
	r.Header.Set("Origin", "https://app.example")
	w = httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	if w.Code != 401 || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("%d %v, want 401 that the page may read", w.Code, w.Header())
	}
}

// witness records the contexts in which grants are asked for.
type witness struct{ grant *access.Grant }

func (w witness) Authorize(context.Context, *access.Principal) (*access.Grant, error) {
	return w.grant, nil
}

// unsure has an error for everybody.
type unsure struct{ error }

func (u unsure) Authorize(context.Context, *access.Principal) (*access.Grant, error) {
	return nil, u.error
}

func TestAuthorizer(t *testing.T) {
	anonymous := newClient(t, func(c *Config) {
		c.Authorizer = witness{access.ScopesGrant(&access.Principal{Scopes: []string{"system/*.rs"}})}
	})
	if w := anonymous.guarded(http.MethodGet, "/CodeSystem/animals"); w.Code != 200 {
		t.Errorf("somebody unknown whom the policy permits to read: %d %s", w.Code, w.Body)
	}
	nobody := newClient(t, guard, func(c *Config) { c.Authorizer = witness{} })
	if w := nobody.guarded(http.MethodGet, "/CodeSystem/animals", "Bearer badge-x"); w.Code != 403 || !strings.Contains(w.Body.String(), `"forbidden"`) {
		t.Errorf("somebody known without a grant: %d %s", w.Code, w.Body)
	}
	for err, want := range map[error][2]int{errors.New("broken"): {500, 500}, access.ErrForbidden: {401, 403}} {
		c := newClient(t, guard, func(c *Config) { c.Authorizer = unsure{err} })
		for i, authorization := range [][]string{nil, {"Bearer badge-x"}} {
			if w := c.guarded(http.MethodGet, "/CodeSystem/animals", authorization...); w.Code != want[i] {
				t.Errorf("%v: %d, want %d", err, w.Code, want[i])
			}
		}
	}
	c := newClient(t, guard)
	for scope, want := range map[string]string{"": "everything numbers pets", "?_id=pets": "pets", "?status=draft": "everything"} {
		if got := modes(t, c.get("/ValueSet", "Authorization", "Bearer badge-system/ValueSet.s"+scope).want(t, 200), "http://example.com"); got != want {
			t.Errorf("%s: %q, want %q", scope, got, want)
		}
	}
}

// TestPages sends browsers to pages, and without a grant to where one signs in.
func TestPages(t *testing.T) {
	c := newClient(t, guard, func(c *Config) {
		c.Metrics = true
		c.Pages = func(PageServices) (http.Handler, error) {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), nil
		}
	})
	for _, row := range []struct{ method, target, accept, want string }{ // status and Location
		{"GET", "/", "application/json, text/html, application/fhir+json", "303 ui/"},
		{"HEAD", "/", "text/html", "303 ui/"},
		{"GET", "/", "application/fhir+json, text/html", "401 "},
		{"GET", "/", "application/json", "401 "},
		{"GET", "/ui", "", "303 ui/login?back="},
		{"HEAD", "/ui/a/b?c=d&e", "", "303 login?back=a%2Fb%3Fc%3Dd%26e"},
		{"POST", "/ui/a", "", "401 "},
		{"GET", "/ui/assets/a.css", "", "200 "},
		{"GET", "/ui/assets", "", "303 login?back=assets"},
	} {
		r := c.do(row.method, row.target, "", "Accept", row.accept)
		if got := fmt.Sprint(r.status, " ", r.header.Get("Location")); got != row.want {
			t.Errorf("%s %s (%s): %s, want %s", row.method, row.target, row.accept, got, row.want)
		}
	}
	if text := c.get("/metrics", "Authorization", "Bearer badge-system/*.s").body; !strings.Contains(text, `{action="page",status="2xx",type=""} 1`) {
		t.Error(text)
	}
}

// TestWithoutGrant serves a request that has passed by authentication, as a defect would.
func TestWithoutGrant(t *testing.T) {
	c := newClient(t, guard)
	h, is := c.handler.(*Handler)
	if !is {
		t.Fatal("not a Handler")
	}
	for _, encoding := range []string{"", "gzip"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/CodeSystem/animals", nil)
		if encoding != "" {
			r.Header.Set("Accept-Encoding", encoding)
		}
		w := httptest.NewRecorder()
		h.granted(w, r)
		if w.Code != 401 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// TestTokensAreNotLogged sends tokens at all places and reads the log at its lowest level.
func TestTokensAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	c := newClient(t, guard, func(c *Config) {
		c.AccessLog = true
		c.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	c.guarded(http.MethodGet, "/Patient?access_token=s3cret-a")
	c.guarded(http.MethodGet, "/Patient?x=1;access_token=s3cret-b&%41ccess_Token=s3cret-c&cache-id=s3cret-d&id_token=s3cret-e", "Bearer badge-system/*.rs")
	c.guarded(http.MethodGet, "/Patient", "Bearer s3cret-f")
	c.guarded(http.MethodGet, "/Patient", "Bearer s3cret-g", "Basic s3cret-h")
	if strings.Contains(log.String(), "s3cret") || !strings.Contains(log.String(), "REDACTED") {
		t.Errorf("the log is\n%s", log.String())
	}
}

// TestSMARTConfiguration reads where clients get tokens.
func TestSMARTConfiguration(t *testing.T) {
	plain := newClient(t)
	if w := plain.guarded(http.MethodGet, smartPath); w.Code != 404 {
		t.Errorf("without authentication: %d %s", w.Code, w.Body)
	}
	if w := plain.guarded(http.MethodGet, "/metadata"); strings.Contains(w.Body.String(), `"security"`) {
		t.Error("metadata of a server without authentication has security")
	}
	c := newClient(t, guard, func(c *Config) {
		c.SMART = func(context.Context) (*SMARTConfiguration, error) {
			return &SMARTConfiguration{Issuer: "https://id.example", AuthorizationEndpoint: "https://id.example/authorize", TokenEndpoint: "https://id.example/token"}, nil
		}
	})
	for _, base := range []string{"", "/baseR4", "/r4", "/r5"} {
		w := c.guarded(http.MethodGet, base+smartPath)
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), `"token_endpoint":"https://id.example/token"`) {
			t.Errorf("%s: %d %v %s", base, w.Code, w.Header(), w.Body)
		}
		statement := c.guarded(http.MethodGet, base+"/metadata").Body.String()
		for _, part := range []string{`"code":"SMART-on-FHIR"`, `"url":"authorize","valueUri":"https://id.example/authorize"`, "oauth-uris"} {
			if !strings.Contains(statement, part) {
				t.Errorf("%s/metadata has no %s", base, part)
			}
		}
	}
}

// TestCORSIsDeclared: metadata says that pages of other origins may call, with and without
// authentication.
func TestCORSIsDeclared(t *testing.T) {
	origins := func(c *Config) { c.CORSOrigins = []string{"https://app.example"} }
	for name, row := range map[string]struct {
		client *client
		want   bool
	}{
		"open": {newClient(t, origins), true}, "guarded": {newClient(t, guard, origins), true},
		"open, no origins": {newClient(t), false}, "guarded, no origins": {newClient(t, guard), false},
	} {
		if body := row.client.guarded(http.MethodGet, "/metadata").Body.String(); strings.Contains(body, `"cors":true`) != row.want {
			t.Errorf("%s: security.cors is declared: %v", name, !row.want)
		}
	}
}

// TestScopeChallenge has requests that are refused because of their scopes, and others that are refused
// or have no token.
func TestScopeChallenge(t *testing.T) {
	const challenge = `Bearer realm="Roget", error="insufficient_scope", error_description="`
	c := newClient(t, guard)
	for _, row := range []struct {
		method, target, authorization string
		status                        int
		challenge                     string
	}{
		{http.MethodGet, "/Patient/1", "Bearer badge-system/Observation.rs", 403, challenge + `not permitted: no scope of this request covers read of Patient"`},
		{http.MethodGet, "/Patient", "Bearer badge-system/Patient.r", 403, challenge + `not permitted: no scope of this request covers search of Patient"`},
		{http.MethodDelete, "/Patient/1", "Bearer badge-system/Patient.rs", 403, challenge + `not permitted: no scope of this request covers delete of Patient"`},
		{http.MethodGet, "/CodeSystem/$lookup?system=http://t.example/animals&code=dog", "Bearer badge-patient/Patient.rs", 403, challenge},
		{http.MethodGet, "/Patient/1", "Bearer badge-system/Patient.rs", 404, ""},
		{http.MethodGet, "/Patient/1", "Bearer badge-system/Patient.rs?name=nobody", 404, ""},
		{http.MethodGet, "/Patient?nothing=x", "Bearer badge-system/Patient.rs", 200, ""},
	} {
		w := c.guarded(row.method, row.target, row.authorization)
		got := w.Header().Values("WWW-Authenticate")
		if w.Code != row.status || row.challenge == "" && got != nil || row.challenge != "" && (len(got) != 1 || !strings.HasPrefix(got[0], row.challenge)) {
			t.Errorf("%s %s with %q: %d %q, want %d %q", row.method, row.target, row.authorization, w.Code, got, row.status, row.challenge)
		}
	}
	for authorization, want := range map[string]string{
		"Bearer badge-x": challenge + `not permitted"`, "bearer badge-x": challenge + `not permitted"`, "Basic eDp5": "",
	} {
		nobody := newClient(t, func(c *Config) { c.Authenticators = []Authenticator{everybody{}} }, func(c *Config) { c.Authorizer = witness{} })
		w := nobody.guarded(http.MethodGet, "/Patient/1", authorization)
		if w.Code != 403 || w.Header().Get("WWW-Authenticate") != want {
			t.Errorf("%q without a rule: %d %q, want 403 %q", authorization, w.Code, w.Header().Get("WWW-Authenticate"), want)
		}
	}
}

// everybody knows who makes each request.
type everybody struct{}

func (everybody) Authenticate(*http.Request) (*access.Principal, error) {
	return &access.Principal{Subject: "somebody"}, nil
}

// TestMetricsPermission: metrics are about the resources of all clients.
func TestMetricsPermission(t *testing.T) {
	c := newClient(t, guard, func(c *Config) { c.Metrics = true })
	for authorization, want := range map[string]int{
		"": 401, "Bearer badge-openid": 403, "Bearer badge-patient/*.rs": 403, "Bearer badge-system/Patient.rs": 403, "Bearer badge-user/*.s?_id=1": 403,
		"Bearer badge-system/*.r": 403, "Bearer badge-system/*.s": 200,
	} {
		var headers []string
		if authorization != "" {
			headers = []string{authorization}
		}
		if w := c.guarded(http.MethodGet, "/metrics", headers...); w.Code != want || (want == 200) != strings.Contains(w.Body.String(), "go_goroutines") {
			t.Errorf("%q: %d %.200s, want %d", authorization, w.Code, w.Body, want)
		}
	}
}

// FuzzAuthority compares the reader of authorities with that of package net/url, which browsers and
// proxies are closer to, on what both accept.
func FuzzAuthority(f *testing.F) {
	for _, seed := range []string{"", "tx.example", "tx.example:8443", "[::1]", "[::1]:80", "[fe80::1%25eth0]", "1.2.3.4:0", "a:b:c", "a@b", "[::1", "]", "[::ffff:1.2.3.4]:1", "x:", "x:01", "[::1]80", "[fe80::1%eth0]", "[]", "[::g]", "[::1]:", "Z9.a0", "é", "a%41"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		host, port, ok := splitAuthority(text)
		if (validAuthority(text) != "") != ok {
			t.Errorf("%q: valid is %v", text, !ok)
		}
		if !ok {
			return
		}
		u, err := url.Parse("https://" + text + "/r4")
		if err != nil || u.User != nil || u.Path != "/r4" || u.RawQuery != "" || u.Hostname() != host || u.Port() != port {
			t.Errorf("%q is %q and %q, in a URL %+v, %v", text, host, port, u, err)
		}
	})
}

// FuzzPublicURL checks that a public URL that is accepted stays what it was in a link, and that a
// request to it can be told from one to the server's own paths.
func FuzzPublicURL(f *testing.F) {
	for _, seed := range []string{"", "https://tx.example", "http://tx.example:80/a/b/", "https://a@b", "https://h?", "https://h#", "https://h/%41", "https://h/metadata", "https://h/./x", "HTTPS://H//", "https://[::1]:1/fhir"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePublicURL(text)
		if (CheckBaseURL(text) == nil) != (err == nil) {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		again, err := parsePublicURL(p.text)
		if err != nil || again != p {
			t.Errorf("%q is %+v, read again %+v, %v", text, p, again, err)
		}
		u, err := url.Parse(p.text + "/r4/Patient/1")
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != p.path+"/r4/Patient/1" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q: a link is %+v, %v", text, u, err)
		}
		if strings.HasSuffix(p.path, "/") || strings.Contains(p.path, "//") || strings.ContainsAny(p.text, "\"'<>\\ ?#%@") {
			t.Errorf("%q is %+v", text, p)
		}
	})
}
