package platformtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

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
