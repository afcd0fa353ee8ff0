package platformtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
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

// do sends a request, with headers as "Name: value", and gives status, body and headers.
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
		{"GET", "401 Authentication required", "Authorization: ", ""},
		{"GET", "401 JWT", "Authorization: Bearer a.b.c", ""},
		{"GET", "200 admin", "Authorization: ", cookie},
		{"GET", "401 Authentication", "Authorization: ", "Cookie: JSESSIONID=other"},
	} {
		a.wants(test.method, "/api/me", "", test.want, test.credentials, test.more)
	}
	if _, _, header := a.do("GET", "/api/me", "", "Authorization: "); header.Get("WWW-Authenticate") != `Basic realm="platform"` {
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

func TestLists(t *testing.T) {
	a := ask(t, platformtest.Options{})
	id := func(uids ...string) string {
		b, _ := json.Marshal(uids)
		return string(b)
	}
	for _, test := range []struct{ query, want string }{
		{"filter=name:eq:Malaria deaths", id("Del00000002")},
		{"filter=name:!eq:Malaria deaths", id("Del00000001", "Del00000003")},
		{"filter=name:ieq:MALARIA DEATHS", id("Del00000002")},
		{"filter=name:like:alaria d", id("Del00000002")},
		{"filter=name:ilike:MALARIA", id("Del00000001", "Del00000002")},
		{"filter=name:$ilike:lab", id("Del00000003")},
		{"filter=name:ilike$:RESULT", id("Del00000003")},
		{"filter=name:token:res lab", id("Del00000003")},
		{"filter=name:gt:Malaria cases", id("Del00000002")},
		{"filter=name:ge:Malaria cases", id("Del00000001", "Del00000002")},
		{"filter=name:lt:Malaria cases", id("Del00000003")},
		{"filter=name:le:Malaria cases", id("Del00000001", "Del00000003")},
		{"filter=id:in:[Del00000003,Del00000001]", id("Del00000001", "Del00000003")},
		{"filter=id:!in:[Del00000003,Del00000001]", id("Del00000002")},
		{"filter=code:null", id("Del00000002")},
		{"filter=code:!null", id("Del00000001", "Del00000003")},
		{"filter=code:empty", id("Del00000002")},
		{"filter=optionSet.name:eq:Results", id("Del00000003")},
		{"filter=code:null&filter=valueType:eq:TEXT", id()},
		{"filter=code:null&filter=valueType:eq:TEXT&rootJunction=OR", id("Del00000002", "Del00000003")},
		{"order=name:desc", id("Del00000002", "Del00000001", "Del00000003")},
		{"order=valueType:asc&order=name:desc", id("Del00000002", "Del00000001", "Del00000003")},
	} {
		status, said, _ := a.do("GET", "/api/dataElements?paging=false&fields=id&"+strings.ReplaceAll(test.query, " ", "%20"), "")
		var list struct{ DataElements []struct{ ID string } }
		err := json.Unmarshal([]byte(said), &list)
		var uids []string
		for _, each := range list.DataElements {
			uids = append(uids, each.ID)
		}
		if got := id(uids...); err != nil || status != 200 || got != test.want && (uids != nil || test.want != "null") {
			t.Errorf("%s: %d %s, want %s", test.query, status, said, test.want)
		}
	}
	a.get("/api/dataElements?page=2&pageSize=2", `{"dataElements":[{"displayName":"Laboratory result","id":"Del00000003"}],"pager":{"page":2,"pageCount":2,"pageSize":2,"total":3}}`)
	a.get("/api/userRoles?paging=false&fields=name,users~size&filter=id:eq:Rol00000001", `{"userRoles":[{"name":"Superuser","users":1}]}`)
	a.get("/api/users/Usr00000002?fields=username,userRoles[id,displayName],userGroups", `{"userGroups":[{"id":"Grp00000001"}],"userRoles":[{"displayName":"Clerk","id":"Rol00000002"}],"username":"nurse"}`)
	a.get("/api/indicators?paging=false&fields=:identifiable,!created,!lastUpdated,shortName~rename(short)", `{"indicators":[{"displayName":"Case fatality","id":"Ind00000001","name":"Case fatality","short":"CFR"}]}`)
	a.get("/api/dataElements?paging=false&locale=fr&fields=displayName&filter=id:eq:Del00000001", `{"dataElements":[{"displayName":"Cas de paludisme"}]}`)
	a.get("/api/dataElements?filter=name", "400 invalid filter")
	a.get("/api/dataElements?filter=name:near:x", "400 invalid filter")
	a.get("/api/dataElements?fields=a[b", "400 missing ]")
	a.get("/api/dataElements?order=name:up", "400 invalid order")
	a.get("/api/nothings", "404 No such path")
	a.get("/api/users/admin", "405 not supported")
	a.get("/api/dataElements/Del00000009", `404 "message":"DataElement with id Del00000009 could not be found."`)
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
		a.get("/api/users/twoFactor/summary", pick("404 ", `200 "withAllAuthorityMissing2FA":1`))
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
		_, said, _ := a.do("GET", "/api/sharing?type=userGroup&id=Grp00000001", "")
		if strings.Contains(said, "externalAccess") != (major < 43) || !strings.Contains(said, `"publicAccess":"r-------"`) {
			t.Errorf("%d: %s", major, said)
		}
		if _, said, _ = a.do("GET", "/api/routes?fields=*", ""); strings.Contains(said, "s3cret") {
			t.Errorf("%d: a route shows its secret: %s", major, said)
		}
	}
}

// TestState: what is written is there afterwards.
func TestState(t *testing.T) {
	a := ask(t, platformtest.Options{})
	text, jsonBody := "Content-Type: text/plain", "Content-Type: application/json"
	a.wants("POST", "/api/systemSettings/applicationTitle", "New", "200 ", text)
	a.wants("POST", "/api/systemSettings/applicationTitle", `"New"`, "415 ", jsonBody)
	a.get("/api/systemSettings/applicationTitle", `{"applicationTitle":"New"}`)
	a.get("/api/systemSettings?key=applicationTitle&key=minPasswordLength", `{"applicationTitle":"New","minPasswordLength":8}`)
	a.wants("DELETE", "/api/systemSettings/applicationTitle", "", "204 ")
	a.get("/api/systemSettings/applicationTitle", "404 ")

	a.get("/api/dataStore/none", "404 Namespace not found: 'none'")
	a.wants("PUT", "/api/dataStore/n%2Fs/k", "1", "404 ")
	a.wants("POST", "/api/dataStore/n%2Fs/k", "1", "201 ")
	a.wants("POST", "/api/dataStore/n%2Fs/k", "2", "409 ")
	a.wants("PUT", "/api/dataStore/n%2Fs/k", "{", "400 ")
	a.get("/api/dataStore/n%2Fs/k", "1")
	a.get("/api/dataStore", `["n/s","ns1"]`)
	a.get("/api/userDataStore", `["mine"]`)
	a.wants("GET", "/api/userDataStore", "", `[]`, "Authorization: ApiToken "+platformtest.PlainPAT)
	a.wants("DELETE", "/api/dataStore/n%2Fs/k", "", "200 ")
	a.get("/api/dataStore", `["ns1"]`)

	_, said, _ := a.do("POST", "/api/apiToken", `{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"MethodAllowedList","allowedMethods":["GET"]}]}`)
	var minted struct{ Response struct{ Key, UID string } }
	if err := json.Unmarshal([]byte(said), &minted); err != nil {
		t.Fatal(err)
	}
	a.wants("GET", "/api/me?fields=username", "", `{"username":"admin"}`, "Authorization: ApiToken "+minted.Response.Key)
	a.wants("DELETE", "/api/dataStore/ns1", "", "401 allowedMethods", "Authorization: ApiToken "+minted.Response.Key)
	if _, said, _ = a.do("GET", "/api/apiToken?fields=*", ""); strings.Contains(said, minted.Response.Key) || !strings.Contains(said, minted.Response.UID) {
		t.Errorf("tokens: %s", said)
	}
	a.wants("DELETE", "/api/apiToken/"+minted.Response.UID, "", "200 ")
	a.wants("GET", "/api/me", "", "401 ", "Authorization: ApiToken "+minted.Response.Key)

	a.wants("POST", "/api/userGroups/Grp00000001/users/Usr00000001", "", "200 ")
	a.get("/api/users/Usr00000001?fields=userGroups", `{"userGroups":[{"id":"Grp00000001"}]}`)
	a.wants("DELETE", "/api/userRoles/Rol00000002/users/Usr00000002", "", "200 ")
	a.get("/api/userRoles/Rol00000002?fields=users", `{"users":[]}`)
	a.wants("POST", "/api/users/invite", `{"email":"x@y.example","firstName":"X","surname":"Y","userRoles":[{"id":"Rol00000002"}]}`, "201 ")
	a.wants("POST", "/api/users/invite", `{"email":"z@y.example","firstName":"X","surname":"Y","userRoles":[{"id":"Rol00000077"}]}`, "409 E5002")
	a.get("/api/users?paging=false&fields=username&filter=email:eq:x@y.example", `{"users":[{"username":"invite-x@y.example"}]}`)
	a.wants("POST", "/api/users/Usr00000001/reset", "", "204 ")
	a.wants("POST", "/api/sharing?type=userGroup&id=Grp00000001", `{"object":{"publicAccess":"rw------","userAccesses":[{"id":"Usr00000002","access":"r-------"}]}}`, "200 ")
	a.get("/api/sharing?type=userGroup&id=Grp00000001", `200 "userAccesses":[{"access":"r-------","displayName":"Nora Nurse"`)

	a.wants("POST", "/api/dataElements", `{"shortName":"x"}`, `409 "errorProperty":"name"`)
	a.wants("PATCH", "/api/dataElements/Del00000001", `[{"op":"replace","path":"/name","value":"Changed"}]`, "200 ", "Content-Type: application/json-patch+json")
	a.wants("PATCH", "/api/dataElements/Del00000001", `[]`, "415 ", jsonBody)
	a.get("/api/dataElements/Del00000001?fields=name", `{"name":"Changed"}`)
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

func TestAppsAndBranding(t *testing.T) {
	a := ask(t, platformtest.Options{})
	form := func(content []byte) (string, string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, _ := w.CreateFormFile("file", "file.bin")
		_, _ = part.Write(content)
		w.Close()
		return b.String(), "Content-Type: " + w.FormDataContentType()
	}
	body, contentType := form(platformtest.AppArchive("New App", "1.2.0"))
	a.wants("POST", "/api/apps", body, `201 "key":"new-app"`, contentType)
	a.get("/api/apps", `200 "version":"1.2.0"`)
	body, contentType = form([]byte("no archive"))
	a.wants("POST", "/api/apps", body, "409 not a zip", contentType)
	a.wants("POST", "/api/appHub/ver-3", "", "201 ")
	a.wants("POST", "/api/appHub/ver-9", "", "404 ver-9")
	a.get("/api/apps", `200 "app_hub_id":"app-1"`)
	a.wants("DELETE", "/api/apps/widget", "", "204 ")
	a.wants("DELETE", "/api/apps/dashboard", "", "409 Bundled")
	a.wants("PUT", "/api/apps", "", "204 ")

	body, contentType = form([]byte("\x89PNG\r\n\x1a\n mine"))
	a.wants("POST", "/api/staticContent/logo_front", body, "204 ", contentType)
	a.get("/api/staticContent/logo_front", "200 of the platform")
	a.wants("POST", "/api/systemSettings/keyUseCustomLogoFront", "true", "200 ", "Content-Type: text/plain")
	a.get("/api/staticContent/logo_front", "200 mine")
	a.wants("POST", "/api/files/style", "b{}", "204 ", "Content-Type: text/css")
	a.get("/api/files/style", "b{}")
}
