package platformtest_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestState: written objects can be read afterwards.
func TestState(t *testing.T) {
	a := ask(t, platformtest.Options{})
	text, jsonBody := "Content-Type: text/plain", "Content-Type: application/json"
	a.wants("POST", "/api/systemSettings/applicationTitle", "New", "200 ", text)
	a.wants("POST", "/api/systemSettings/applicationTitle", `"New"`, "415 ", jsonBody)
	a.get("/api/systemSettings/applicationTitle", `{"applicationTitle":"New"}`)
	a.get("/api/systemSettings?key=applicationTitle&key=minPasswordLength", `{"applicationTitle":"New","minPasswordLength":8}`)
	a.wants("DELETE", "/api/systemSettings/applicationTitle", "", "204 ")
	a.get("/api/systemSettings/applicationTitle", `{"applicationTitle":""}`)
	a.get("/api/systemSettings/applicationTitel", "404 Setting does not exist")

	a.get("/api/dataStore/none", "404 Namespace not found: 'none'")
	a.wants("PUT", "/api/dataStore/n%2Fs/k", "1", "404 ")
	a.wants("POST", "/api/dataStore/n%2Fs/k", "1", "201 ")
	a.wants("POST", "/api/dataStore/n%2Fs/k", "2", "409 ")
	a.wants("PUT", "/api/dataStore/n%2Fs/k", "{", "400 ")
	a.get("/api/dataStore/n%2Fs/k", "1")
	a.get("/api/dataStore", `["n/s","ns1"]`)
	a.get("/api/userDataStore", `["mine"]`)
	a.wants("GET", "/api/userDataStore", "", `[]`, "Authorization: ApiToken "+platformtest.PlainPAT)
	if value := a.Value("", "n/s", "k"); string(value) != "1" {
		t.Errorf("%s", value)
	}
	a.wants("DELETE", "/api/dataStore/n%2Fs/k", "", "200 ")
	a.wants("DELETE", "/api/dataStore/n%2Fs", "", "404 ")
	a.wants("DELETE", "/api/userDataStore/mine", "", "200 ")
	a.get("/api/dataStore", `["ns1"]`)

	_, body, _ := a.do("POST", "/api/apiToken", `{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"MethodAllowedList","allowedMethods":["GET"]}]}`)
	var minted struct{ Response struct{ Key, UID string } }
	if err := json.Unmarshal([]byte(body), &minted); err != nil {
		t.Fatal(err)
	}
	a.wants("GET", "/api/me?fields=username", "", `{"username":"admin"}`, "Authorization: ApiToken "+minted.Response.Key)
	a.wants("DELETE", "/api/dataStore/ns1", "", "401 allowedMethods", "Authorization: ApiToken "+minted.Response.Key)
	if _, body, _ = a.do("GET", "/api/apiToken?fields=*", ""); strings.Contains(body, minted.Response.Key) || !strings.Contains(body, minted.Response.UID) {
		t.Errorf("tokens: %s", body)
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
	if logo := a.File("logo_front"); !strings.HasSuffix(string(logo), "mine") || a.Setting("keyUseCustomLogoFront") != "true" {
		t.Errorf("%q", logo)
	}
	a.wants("DELETE", "/api/files/style", "", "204 ")
	a.get("/api/files/style", "200 ")
	a.wants("POST", "/api/staticContent/logo_side", body, "400 logo_side", contentType)
	a.wants("POST", "/api/staticContent/logo_front", "x", "415 ", "Content-Type: image/png")
}

// TestObjects: objects are replaced, patched, refused and removed; a test may look at them.
func TestObjects(t *testing.T) {
	a := ask(t, platformtest.Options{Version: "2.42.7", Settings: map[string]any{"applicationTitle": nil}, Users: []platformtest.User{
		{Username: "third", Password: "x", PAT: "d2pat_third", Email: "t@x.example", Roles: []string{platformtest.PlainRoleID}}, {Username: "gone", PAT: "d2pat_gone", Disabled: true},
	}})
	patch := "Content-Type: application/json-patch+json"
	a.wants("GET", "/api/me?fields=authorities,email", "", `{"authorities":["F_DATAVALUE_ADD"],"email":"t@x.example"}`, "Authorization: ApiToken d2pat_third")
	a.wants("GET", "/api/me", "", "401 ", "Authorization: ApiToken d2pat_gone")
	a.get("/api/systemSettings/applicationTitle", `{"applicationTitle":""}`)

	a.wants("PUT", "/api/optionSets/Ops00000001", `{"name":"New","options":[{"id":"Opt00000001"}]}`, "200 ")
	a.wants("PATCH", "/api/optionSets/Ops00000001", `[{"op":"add","path":"/options/-","value":{"id":"Opt00000002"}},{"op":"add","path":"/options/0","value":{"id":"Opt00000003"}},
		{"op":"remove","path":"/options/1"},{"op":"replace","path":"/options/0/id","value":"Opt00000004"},{"op":"add","path":"/a~1b","value":1},{"op":"remove","path":"/a~1b"}]`, "200 ", patch)
	a.get("/api/optionSets/Ops00000001?fields=name,options", `{"name":"New","options":[{"id":"Opt00000004"},{"id":"Opt00000002"}]}`)
	for _, step := range []string{`{"op":"move","path":"/name"}`, `{"op":"remove","path":"/none"}`, `{"op":"add","path":"/options/9","value":1}`, `{"op":"add","path":"/name/x","value":1}`, `{"op":"add","path":"/id","value":1}`} {
		a.wants("PATCH", "/api/optionSets/Ops00000001", "["+step+"]", "400 Invalid JSON patch", patch)
	}
	a.wants("PUT", "/api/optionSets/Ops00000001", "[]", "400 Invalid JSON input")
	a.wants("POST", "/api/optionSets", `{"id":"Ops00000001","name":"x"}`, "409 E5000")
	a.wants("POST", "/api/optionSets", `{"name":"x","code":"C"}`, "201 ")
	a.wants("POST", "/api/optionSets", `{"name":"y","code":"C"}`, "409 E5003")
	a.wants("DELETE", "/api/optionSets/Ops00000001", "", "200 ")
	if a.Get("optionSets", "Ops00000001") != nil || a.Get("none", "Ops00000001") != nil {
		t.Error("it is still there")
	}
	a.wants("POST", "/api/users", `{"id":"Usr00000007","username":"seven","firstName":"S","surname":"N","password":"s3ven-s3cret","userRoles":[]}`, "201 ")
	a.wants("GET", "/api/me?fields=username", "", `{"username":"seven"}`, "Authorization: Basic c2V2ZW46czN2ZW4tczNjcmV0")
	if user := a.Get("users", "Usr00000007"); user["password"] != nil {
		t.Errorf("%v", user)
	}
	a.get("/api/users/twoFactor?status=DISABLED", "200 third")
	a.wants("GET", "/api/users/twoFactor", "", "403 ", "Authorization: ApiToken d2pat_third")
	if a.Forget(); len(a.Requests()) != 0 {
		t.Error("requests are not forgotten")
	}
}
