package platformtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// TestRules: each rule begins with the release that the page of rules by version names.
func TestRules(t *testing.T) {
	for version, want := range map[string]string{
		"2.41.9":        "oauth2=false own=false scope=false registered=0 proof=false two=false empty=false",
		"2.42.4":        "oauth2=true own=false scope=false registered=0 proof=false two=false empty=true",
		"2.42.4.9":      "oauth2=true own=false scope=false registered=0 proof=false two=false empty=true",
		"2.42.5":        "oauth2=true own=true scope=true registered=0 proof=false two=false empty=true",
		"2.42.5.2":      "oauth2=true own=true scope=true registered=0 proof=false two=false empty=true",
		"2.42.5.3":      "oauth2=true own=true scope=true registered=0 proof=false two=true empty=true",
		"2.42.7":        "oauth2=true own=true scope=true registered=4 proof=true two=true empty=true",
		"2.43.0":        "oauth2=true own=true scope=true registered=0 proof=false two=false empty=true",
		"2.43.1":        "oauth2=true own=true scope=true registered=0 proof=false two=true empty=true",
		"2.43.2":        "oauth2=true own=true scope=true registered=4 proof=true two=true empty=true",
		"2.44-SNAPSHOT": "oauth2=true own=true scope=true registered=4 proof=true two=true empty=true",
		"unreadable":    "oauth2=false own=false scope=false registered=0 proof=false two=false empty=false",
	} {
		r := platformtest.RulesOf(version)
		got := fmt.Sprintf("oauth2=%v own=%v scope=%v registered=%d proof=%v two=%v empty=%v", r.OAuth2, r.OwnProvider, r.UsernameScope, len(r.Scopes), r.ProofKey, r.TwoFactor, r.EmptySettings)
		if got != want || r.OwnProvider != (len(r.MappingClaims) == 2) {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}

// TestReleases: what platforms of a release answer.
func TestReleases(t *testing.T) {
	claims := func(token string) (platformtest.Claims, error) {
		return map[string]platformtest.Claims{
			"full":  {"sub": "x", "username": "admin", "email": "ada@platform.example", "aud": []any{"c"}},
			"plain": {"sub": "admin", "aud": "c"},
		}[token], nil
	}
	const client = `{"clientId":"c1","cid":"c1","clientSettings":"{\"settings.client.require-proof-key\":%v}","scopes":%s}`
	for _, version := range platformtest.Releases() {
		a := ask(t, platformtest.Options{Version: version, Claims: claims, Root: "/portal/"})
		rules := a.Rules()
		pick := func(is bool, yes, no string) string {
			if is {
				return yes
			}
			return no
		}
		me := func(token, want string) {
			t.Helper()
			a.wants("GET", "/api/me", "", want, "Authorization: Bearer "+token)
		}
		me("full", pick(rules.OwnProvider, "200 admin", "401 'sub' with the value: 'x'"))
		me("plain", pick(rules.OwnProvider, "401 'username' with the value: 'null'", "200 admin"))
		a.Configure(&platformtest.Provider{MappingClaim: "sub"})
		me("plain", pick(rules.OwnProvider, "401 Invalid mapping claim", "200 admin"))
		a.Configure(&platformtest.Provider{MappingClaim: "email"})
		me("full", "200 admin")
		a.Configure(&platformtest.Provider{MappingClaim: "email", ClientID: "d"})
		me("full", "401 Invalid audience")
		all, two := `"ALL"`, `"openid,username"`
		if version == "2.41.9" {
			all, two = `["ALL"]`, `["openid"]`
		}
		a.wants("POST", "/api/oAuth2Clients", fmt.Sprintf(client, true, all), pick(rules.Scopes != nil, "409 Scope", "201 "))
		a.wants("POST", "/api/oAuth2Clients", fmt.Sprintf(client, false, two), pick(rules.ProofKey, "409 PKCE cannot be disabled", pick(rules.Scopes == nil, "409 E5003", "201 ")))
		a.get("/api/systemSettings/helpPageLink", pick(rules.EmptySettings, `200 {"helpPageLink":""}`, "404 Setting does not exist"))
		a.get("/api/users/twoFactor", pick(rules.TwoFactor, "200 admin", "404 "))
		a.get("/portal/api/system/info", "200 Welcome")
		a.wants("POST", "/api/apiToken", `{"type":"PERSONAL_ACCESS_TOKEN_V2","code":"mine","description":"gone","attributes":[]}`, "201 key")
		a.wants("POST", "/api/apiToken", `{"type":"PERSONAL_ACCESS_TOKEN_V2","code":"mine"}`, "409 E5003")
		if _, body, _ := a.do("GET", "/api/apiToken?fields=*", ""); !strings.Contains(body, `"code":"mine"`) || !strings.Contains(body, `"expire":1`) || strings.Contains(body, "gone") {
			t.Errorf("%s: %s", version, body)
		}
	}
}
