package platformtest_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
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

// TestBearer: tokens are verified against the keys and the issuer, and identify a user.
func TestBearer(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	keys, err := platformtest.ReadKeys("https://issuer.example", fmt.Appendf(nil,
		`{"keys":[{"kty":"EC","kid":"other"},{"kty":"RSA","kid":"k","n":%q,"e":%q}]}`, encode(key.N.Bytes()), encode(big.NewInt(int64(key.E)).Bytes())))
	if err != nil || len(keys.Keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	sign := func(header, claims string) string {
		text := encode([]byte(header)) + "." + encode([]byte(claims))
		sum := sha256.Sum256([]byte(text))
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + encode(signature)
	}
	const header, claims = `{"alg":"RS256","kid":"k"}`, `{"iss":"https://issuer.example","sub":"admin","exp":9e9}`
	good := sign(header, claims)
	for _, strict := range []bool{false, true} {
		a := ask(t, platformtest.Options{Bearer: keys.Verify, RequireOpenID: strict})
		nurse := "401 mapping claim"
		if !strict {
			nurse = "200 nurse"
		}
		for token, want := range map[string]string{
			good:                           "200 admin",
			good[:len(good)-3] + "AAA":     "401 invalid signature",
			"a.b":                          "401 invalid token",
			sign(`{"alg":"none"}`, claims): "401 invalid signature",
			sign(header, `{"iss":"https://other.example","sub":"admin","exp":9e9}`):  "401 invalid issuer",
			sign(header, `{"iss":"https://issuer.example","sub":"admin","exp":1e9}`): "401 expired",
			sign(header, `{"iss":"https://issuer.example","exp":9e9}`):               "401 no subject",
			sign(header, `{"iss":"https://issuer.example","sub":"nurse","exp":9e9}`): nurse,
		} {
			a.wants("GET", "/api/me", "", want, "Authorization: Bearer "+token)
		}
	}
}

// TestMajors holds what differs, section 7.2 of the toolkit page.
func TestMajors(t *testing.T) {
	for major := 41; major <= 43; major++ {
		a := ask(t, platformtest.Options{Major: major})
		a.get("/api/system/info", fmt.Sprintf(`200 "version":"2.%d.`, major))
		old := major == 41
		pick := func(first, others string) string {
			if old {
				return first
			}
			return others
		}
		a.get("/api/authorities", pick("500 ERROR", "200 systemAuthorities"))
		a.get("/api/systemSettings/enforceVerifiedEmail", pick("404 ", "200 false"))
		a.get("/api/users/twoFactor/summary", map[bool]string{true: `200 "withAllAuthorityMissing2FA":1`, false: "404 "}[major == 43])
		a.get("/api/users/Usr00000002", pick(`200 "twoFA":true`, `200 "twoFactorType":"TOTP_ENABLED"`))
		a.get("/api/openapi.json", pick("200 DataElement", "404 "))
		a.get("/api/openapi/openapi.json", pick("404 ", "200 DataElement"))
		route := `{"name":"r","url":"https://a.example/**","auth":{"type":"oauth2-client-credentials","clientSecret":"upstream-s3cret","clientId":"c"}}`
		a.wants("POST", "/api/routes", route, pick("409 subtype", "201 uid"))
		lists := `"redirectUris":["http://localhost:8765"],"scopes":["ALL"]}`
		a.wants("POST", "/api/oAuth2Clients", `{"cid":"c1","clientId":"c1",`+lists, "201 uid")
		a.wants("POST", "/api/oAuth2Clients", `{"cid":"c1","clientId":"c1",`+lists, "409 E5003")
		texts := `{"cid":"c2","clientId":"c2","redirectUris":"http://localhost:8765,http://localhost:1","scopes":"ALL"}`
		a.wants("POST", "/api/oAuth2Clients", texts, pick("400 no String-argument constructor", "201 uid"))
		clients := a.Clients()
		if old != (len(clients[0].RedirectURIs) == 1) || !old && len(clients[1].RedirectURIs) != 2 {
			t.Errorf("%d: %+v", major, clients)
		}
		_, body, _ := a.do("GET", "/api/sharing?type=userGroup&id=Grp00000001", "")
		if strings.Contains(body, "externalAccess") != (major < 43) || !strings.Contains(body, `"publicAccess":"r-------"`) {
			t.Errorf("%d: %s", major, body)
		}
		if _, body, _ = a.do("GET", "/api/routes?fields=*", ""); strings.Contains(body, "s3cret") {
			t.Errorf("%d: a route shows its secret: %s", major, body)
		}
	}
}

// TestRun: a route leads on, with its own credentials, to what answers or does not.
func TestRun(t *testing.T) {
	a := ask(t, platformtest.Options{})
	a.get("/api/routes/Rte00000001/run/x", "502 does not answer")
	a = ask(t, platformtest.Options{Upstream: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/broken" {
			panic(http.ErrAbortHandler)
		}
		user, password, _ := r.BasicAuth()
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.URL, user, password, r.Header.Get("Authorization"))
	})})
	a.get("/api/routes/Rte00000001/run/a%20b/c?q=1", "418 GET https://lab.example/api/a%20b/c?q=1 u upstream-pass-4711")
	a.get("/api/routes/Rte00000001/run/broken", "502 does not answer")
	a.wants("PATCH", "/api/routes/Rte00000001", `[{"op":"add","path":"/auth","value":{"type":"api-token","token":"t0ken"}}]`, "200 ", "Content-Type: application/json-patch+json")
	a.get("/api/routes/Rte00000001?fields=auth", `{"auth":{"type":"api-token"}}`)
	a.get("/api/routes/Rte00000001/run/x", "418 ApiToken t0ken")
	a.wants("PATCH", "/api/routes/Rte00000001", `[{"op":"replace","path":"/disabled","value":true}]`, "200 ", "Content-Type: application/json-patch+json")
	a.get("/api/routes/Rte00000001/run", "409 disabled")
}

// TestRunAuth: each kind of credentials reaches an upstream on this machine, none of the
// caller's does.
func TestRunAuth(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s|%s", r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.Header.Get("Cookie"))
	}))
	a := ask(t, platformtest.Options{})
	for auth, want := range map[string]string{
		`{"type":"api-token","token":"t"}`:                      "/x?q=1|ApiToken t||",
		`{"type":"api-headers","headers":{"X-Key":"k"}}`:        "/x?q=1||k|",
		`{"type":"api-query-params","queryParams":{"key":"k"}}`: "/x?key=k&q=1|||",
		`{"type":"http-basic","username":"u","password":"p"}`:   "/x?q=1|Basic dTpw||",
	} {
		a.wants("PUT", "/api/routes/Rte00000001", `{"name":"Lab","url":"`+upstream.URL+`/**","auth":`+auth+`}`, "200 ")
		a.wants("GET", "/api/routes/Rte00000001/run/x?q=1", "", want, "Cookie: A=1")
	}
	a.wants("PUT", "/api/routes/Rte00000001", `{"name":"Lab","url":"`+upstream.URL+`"}`, "200 ")
	a.get("/api/routes/Rte00000001/run", "200 ")
	a.get("/api/routes/Rte00000001/run/x", "400 sub-paths")
	upstream.Close()
	a.get("/api/routes/Rte00000001/run", "502 ")
	a.get("/api/routes/Rte00000009/run", "404 ")
	if given := a.Get("routes", "Rte00000001"); given["auth"] != nil || strings.Contains(fmt.Sprint(given), "password") {
		t.Errorf("%v", given)
	}
}
