package platform

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// serve starts a server with one handler and returns a client of it.
func serve(t *testing.T, options Options, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(server.URL, auth.NewPAT(auth.NewSecret("d2pat_planted")), options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer is a handler that always answers the same; pairs are headers.
func answer(status int, body string, pairs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Add(pairs[i], pairs[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// TestRequestHeaders: Platform client, section 5; extra headers win.
// Rows of docs/platform.md: 4.15, 5.2.
func TestRequestHeaders(t *testing.T) {
	var got *http.Request
	c := serve(t, Options{UserAgent: "agent/1"}, func(_ http.ResponseWriter, r *http.Request) { got = r })
	if err := c.get(t.Context(), "/api/x", url.Values{"a": {"1 2"}}, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Authorization": "ApiToken d2pat_planted", "Accept": "application/json", "User-Agent": "agent/1"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q", name, got.Header.Get(name))
		}
	}
	if got.URL.String() != "/api/x?a=1+2" {
		t.Error(got.URL)
	}
	_, err := c.Do(t.Context(), Request{Path: "/api/x", Header: http.Header{"authorization": {"Bearer mine"}, "Accept": {"text/csv"}}})
	if err != nil || got.Header.Get("Authorization") != "Bearer mine" || got.Header.Get("Accept") != "text/csv" {
		t.Error(err, got.Header)
	}
}

// TestAnswers: what becomes of answers. Platform toolkit, section 2.3.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // the error, or the value
	}{
		{"a value that is no object", answer(200, `["a",1]`), `["a",1]`},
		{"an empty body is an empty object", answer(200, ""), "{}"},
		{"the message of the envelope", answer(404, `{"httpStatus":"Not Found","status":"ERROR","message":"Namespace not found: 'none'"}`), "API error (404): Not Found: Namespace not found: 'none'"},
		{"a page of HTML", answer(500, "<html><title> Oh\nno</title>x"), "API error (500): Internal Server Error: Oh no"},
		{"an empty 500", answer(500, ""), "API error (500): Internal Server Error"},
		{"HTML with 200", answer(200, "<title>Welcome</title>", "Content-Type", "text/html"), "API error (200): OK: the response claims to be JSON, but is not: Welcome"},
		{"a redirect", answer(302, "", "Location", "https://other.example/api/y?token=1"), "API error (302): Found: a redirect to other.example/api/y, which is not followed; correct the base URL if the platform is there"},
		{"a redirect to nowhere", answer(307, ""), "API error (307): Temporary Redirect: a redirect without an address"},
		{"a redirect of the API to itself", answer(301, "", "Location", "/ctx/api/loginConfig/"), "API error (301): Moved Permanently: a redirect to /ctx/api/loginConfig/, which is not followed; correct the base URL if the platform is there"},
		{"a session that has ended", answer(302, "", "Location", "/dhis-web-login/"), "authentication failed (302): GET /api/x: the server redirected the request to its login page; " + hintPAT},
		{"401", answer(401, `{"message":"Unauthorized"}`), "authentication failed (401): GET /api/x: Unauthorized; " + hintPAT},
		{"401 with a description", answer(401, "", "WWW-Authenticate", `Basic realm="a", error="x"`, "WWW-Authenticate", `Bearer error="invalid_token", error_description="it \"is\" bad, really"`), `authentication failed (401): GET /api/x: it "is" bad, really; ` + hintPAT},
		{"what was sent is masked", answer(409, `{"status":"ERROR","message":"no d2pat_planted"}`), "API error (409): Conflict: no **********"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := serve(t, Options{}, test.handler)
			var raw json.RawMessage
			err := c.get(t.Context(), "/api/x", nil, &raw)
			got := string(raw)
			if err != nil {
				got = err.Error()
				var base ClientError
				if !errors.As(err, &base) {
					t.Errorf("%T is no ClientError", err)
				}
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestRaw: whatever the status. Platform toolkit, section 2.3.
func TestRaw(t *testing.T) {
	for _, status := range []int{200, 302, 401, 404, 502} {
		c := serve(t, Options{}, answer(status, "text", "Location", "/login"))
		response, err := c.Raw(t.Context(), Request{Path: "/api/x"})
		if err != nil || response.Status != status || string(response.Body) != "text" || response.Header.Get("Location") != "/login" {
			t.Errorf("%d: %v, %v", status, response, err)
		}
	}
}

// TestPathsThatAreNotSent: names that would make a request for something else.
func TestPathsThatAreNotSent(t *testing.T) {
	c := serve(t, Options{}, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s", r.URL) })
	for _, path := range []string{
		"", "api", "/api/" + segment(""), "/api/" + segment("."), "/api/" + segment("..") + "/x", "/api/%2e%2e/x", "/api/./x", "/api/x?y", "/api/x#y", "/api/\n",
	} {
		if err := c.get(t.Context(), path, nil, nil); err == nil {
			t.Errorf("%q is sent", path)
		}
	}
	if err := c.get(t.Context(), "/api/x", url.Values{"filter": {strings.Repeat("x", maxAddress)}}, nil); err == nil || !strings.Contains(err.Error(), "65536 bytes") {
		t.Error(err)
	}
	for name, value := range map[string]string{"X-A": "planted\r\nX-B: c", "X\n": "planted"} {
		if _, err := c.Do(t.Context(), Request{Path: "/api/x", Header: http.Header{name: {value}}}); err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "control character") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got := segment("a/b ?#%ü"); got != "a%2Fb%20%3F%23%25%C3%BC" {
		t.Error(got)
	}
}
