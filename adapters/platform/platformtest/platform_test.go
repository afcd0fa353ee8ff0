package platformtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// asking sends requests to a platform as its administrator.
type asking struct {
	*platformtest.Platform
	t *testing.T
}

func ask(t *testing.T, options platformtest.Options) asking {
	return asking{platformtest.New(t, options), t}
}

// do sends a request, with headers as "Name: value", and returns status, body and headers.
func (a asking) do(method, path, body string, headers ...string) (status int, said string, header http.Header) {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.URL+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "ApiToken "+platformtest.PAT)
	for _, each := range headers {
		name, value, _ := strings.Cut(each, ": ")
		request.Header.Set(name, value)
		if value == "" {
			request.Header.Del(name)
		}
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// get asks for a path and wants this answer; "404 text" is a status and a part of the body.
func (a asking) get(path, want string) {
	a.t.Helper()
	a.wants(http.MethodGet, path, "", want)
}

func (a asking) wants(method, path, body, want string, headers ...string) {
	a.t.Helper()
	status, said, _ := a.do(method, path, body, headers...)
	var wanted int
	if n, _ := fmt.Sscanf(want, "%d ", &wanted); n == 1 && len(want) > 3 {
		if _, part, _ := strings.Cut(want, " "); status != wanted || !strings.Contains(said, part) {
			a.t.Errorf("%s %s: %d %s, want %s", method, path, status, said, want)
		}
		return
	}
	if status != 200 || said != want {
		a.t.Errorf("%s %s: %d %s, want %s", method, path, status, said, want)
	}
}

func TestCredentials(t *testing.T) {
	a := ask(t, platformtest.Options{ContextPath: "/ctx"})
	basic := "Authorization: Basic YWRtaW46QWRtaW4tcGFzcy00NzEx"
	cookie := "Cookie: A=1; " + platformtest.SessionCookie
	for _, test := range []struct{ method, want, credentials, more string }{
		{"GET", "200 admin", basic, ""},
		{"GET", "401 Bad credentials", basic + "x", ""},
		{"GET", "200 nurse", "Authorization: ApiToken " + platformtest.PlainPAT, ""},
		{"GET", "401 API token", "Authorization: ApiToken d2pat_other", ""},
		{"GET", "401 Authentication required", "Authorization: ", "X-Requested-With: XMLHttpRequest"},
		{"GET", "302 ", "Authorization: ", ""},
		{"GET", "401 JWT", "Authorization: Bearer a.b.c", ""},
		{"GET", "200 admin", "Authorization: ", cookie},
		{"GET", "302 ", "Authorization: ", "Cookie: JSESSIONID=other"},
	} {
		a.wants(test.method, "/api/me", "", test.want, test.credentials, test.more)
	}
	if _, _, header := a.do("GET", "/api/me", "", "Authorization: ", "X-Requested-With: XMLHttpRequest"); header.Get("WWW-Authenticate") != `Basic realm="platform"` {
		t.Errorf("%v", header)
	}
	a.wants("POST", "/api/systemSettings/k", "v", "403 CSRF", "Authorization: ", cookie, "Content-Type: text/plain")
	a.wants("POST", "/api/systemSettings/k", "v", "200 ", "Authorization: ", cookie, "Content-Type: text/plain", "X-XSRF-TOKEN: "+platformtest.XSRFToken)
	a.wants("GET", "/api/loginConfig", "", "200 Sign in with IdP", "Authorization: ")
	requests := a.Requests()
	if last := requests[len(requests)-1]; last.Path != "/api/loginConfig" || last.Header.Get("Authorization") != "" || requests[0].Header.Get("Authorization") == "" {
		t.Errorf("recorded %+v", last)
	}
}

// TestForbidden: who lacks an authority is refused.
func TestForbidden(t *testing.T) {
	a := ask(t, platformtest.Options{})
	for _, path := range []string{"/api/oAuth2Clients", "/api/systemSettings/k", "/api/apps", "/api/appHub/ver-2", "/api/users/Usr00000001/reset", "/api/staticContent/logo_front", "/api/routes/Rte00000001/run"} {
		a.wants("POST", path, "{}", "403 ", "Authorization: ApiToken "+platformtest.PlainPAT)
	}
}

// TestFaults: a fault meets the requests it is for.
func TestFaults(t *testing.T) {
	open := make(chan struct{})
	a := ask(t, platformtest.Options{Faults: map[string]platformtest.Fault{"/api/dataStore*": {Status: 503, Times: 2, Header: http.Header{"Retry-After": {"1"}}}}})
	a.get("/api/dataStore", "503 ERROR")
	a.get("/api/dataStore/ns1", "503 ERROR")
	a.get("/api/dataStore/ns1", `["k1"]`)
	a.Fault("/api/me", platformtest.Fault{Drop: true, Times: 1}, platformtest.Fault{HTML: true, Status: 500, Times: 1}, platformtest.Fault{Wait: open})
	if status, said, _ := a.do("GET", "/api/me", ""); status != 0 || !strings.Contains(said, "EOF") {
		t.Errorf("%d: %s", status, said)
	}
	a.get("/api/me", "500 <h1>")
	close(open)
	a.get("/api/me", "200 Ada")
	a.Fault("/api/metadata", platformtest.MetadataConflicts(30))
	a.Fault("/api/dataValueSets", platformtest.DataConflicts(2))
	a.wants("POST", "/api/metadata", "{}", `409 "typeReports"`)
	a.wants("POST", "/api/dataValueSets", "{}", `409 "conflicts"`)
	a.Heal()
	a.get("/api/metadata", "404 ")
}

// TestRoot: the base URL leads to the login page, or where a test says.
func TestRoot(t *testing.T) {
	for _, test := range []struct {
		options platformtest.Options
		path    string
		want    string
	}{
		{platformtest.Options{Major: 41}, "/", "/dhis-web-commons/security/login.action"},
		{platformtest.Options{ContextPath: "/ctx"}, "/", "/ctx/dhis-web-login/"},
		{platformtest.Options{Major: 43}, "", "/login/"},
		{platformtest.Options{Root: "https://id.example/realms/x"}, "/", "https://id.example/realms/x"},
	} {
		a := ask(t, test.options)
		if status, _, header := a.do("GET", test.path, "", "Authorization: "); status != 302 || header.Get("Location") != test.want {
			t.Errorf("%+v: %d %v", test.options, status, header)
		}
	}
	a := ask(t, platformtest.Options{})
	a.wants("GET", "/dhis-web-login/", "", "200 Sign in", "Authorization: ")
}

// TestHeaders: security headers, and origins on the whitelist alone.
func TestHeaders(t *testing.T) {
	a := ask(t, platformtest.Options{CORS: []string{"https://*.example"}, Headers: http.Header{"X-Frame-Options": {"SAMEORIGIN"}}})
	for origin, want := range map[string]string{"https://app.example": "https://app.example", "https://app.other": "", a.URL: a.URL} {
		if _, _, header := a.do("GET", "/api/me", "", "Origin: "+origin); header.Get("Access-Control-Allow-Origin") != want || header.Get("X-Frame-Options") != "SAMEORIGIN" {
			t.Errorf("%s: %v", origin, header)
		}
	}
}

// TestConcurrent: a response does not change when other requests change the objects in it. Run it
// with the race detector.
func TestConcurrent(t *testing.T) {
	a := ask(t, platformtest.Options{})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			namespace := fmt.Sprint("/api/dataStore/n", i)
			for range 5 {
				a.do("POST", "/api/appHub/ver-3", "")
				a.do("DELETE", "/api/apps/widget", "")
				a.do("POST", "/api/userGroups/Grp00000001/users/Usr00000001", "")
				a.do("GET", "/api/users?fields=*,userGroups[*]", "")
				if status, said, _ := a.do("GET", "/api/apps", ""); status != 200 || !json.Valid([]byte(said)) {
					t.Errorf("%d %s", status, said)
				}
				a.wants("POST", namespace+"/k", "1", "201 ")
				a.wants("DELETE", namespace+"/k", "", "200 ")
			}
		})
	}
	group.Wait()
}
