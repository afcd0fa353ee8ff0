package platform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
)

// TestFeatures: the table of the platform toolkit, section 7.2.
// Rows of docs/platform.md: 9.1, 9.3, T7.2, T7.3.
func TestFeatures(t *testing.T) {
	for _, test := range []struct {
		topic string
		of    func(*Features) any
		want  [3]any // of 41, 42, 43
	}{
		{"OAuth2 client: id key", func(t *Features) any { return t.OAuth2IDKey }, [3]any{"cid", "clientId", "clientId"}},
		{"multi-valued fields", func(t *Features) any { return t.OAuth2List }, [3]any{ListArray, ListCSV, ListCSV}},
		{"secret key", func(t *Features) any { return t.OAuth2SecretKey }, [3]any{"secret", "clientSecret", "clientSecret"}},
		{"grants key", func(t *Features) any { return t.OAuth2GrantsKey }, [3]any{"grantTypes", "authorizationGrantTypes", "authorizationGrantTypes"}},
		{"fields for auth-methods", func(t *Features) any { return t.OAuth2ListFields }, [3]any{
			"cid,displayName,grantTypes,redirectUris", "clientId,displayName,authorizationGrantTypes,redirectUris", "clientId,displayName,authorizationGrantTypes,redirectUris",
		}},
		{"built-in OAuth2 server", func(t *Features) any { return t.Has(FeatureOAuth2Server) }, [3]any{false, true, true}},
		{"route auth types", func(t *Features) any { return len(t.RouteAuthTypes) }, [3]any{4, 5, 5}},
		{"oauth2-client-credentials", func(t *Features) any { return slices.Contains(t.RouteAuthTypes, RouteAuthOAuth2) }, [3]any{false, true, true}},
		{"fields for hygiene", func(t *Features) any {
			return strings.Contains(t.HygieneUserFields, "twoFactorEnabled,userCredentials[twoFA,passwordLastUpdated],userRoles[id]")
		}, [3]any{true, false, false}},
		{"password date", func(t *Features) any { return strings.Join(t.PasswordDatePath, ".") }, [3]any{"userCredentials.passwordLastUpdated", "passwordLastUpdated", "passwordLastUpdated"}},
		{"2FA source", func(t *Features) any { return t.TwoFactor }, [3]any{TwoFactorUserField, TwoFactorEndpoint, TwoFactorEndpoint}},
		{"--two-factor-detail", func(t *Features) any { return t.Has(FeatureTwoFactorDetail) }, [3]any{false, true, true}}, // Platform client, section 9
		{"GET /api/authorities", func(t *Features) any { return t.AuthoritiesList }, [3]any{false, true, true}},
		{"enforceVerifiedEmail", func(t *Features) any { return t.Has(FeatureVerifiedEmail) }, [3]any{false, true, true}},
		{"app record", func(t *Features) any { return t.Has(FeatureAppDisplayName) }, [3]any{false, true, true}},
		{"externalAccess", func(t *Features) any { return t.SharingExternal }, [3]any{true, true, false}},
		{"import enums", func(t *Features) any { return t.Has(FeatureImportEnums) }, [3]any{false, true, true}},
		{"category combos", func(t *Features) any { return t.CategoryComboRegenerate }, [3]any{true, true, false}},
		{"categorys", func(t *Features) any { return t.Has(FeatureCategoryAlias) }, [3]any{true, true, false}},
		{"an element in several data sets", func(t *Features) any { return t.Has(FeatureStrictDataSet) }, [3]any{false, false, true}},
		{"program extras", func(t *Features) any { return t.Has(FeatureProgramExtras) }, [3]any{false, false, true}},
		{"major", func(t *Features) any { return t.Major }, [3]any{Major(41), Major(42), Major(43)}},
	} {
		for i, major := range Majors() {
			if got := test.of(major.Features()); got != test.want[i] {
				t.Errorf("%s of %v: %v, want %v", test.topic, major, got, test.want[i])
			}
		}
	}
	if Major(44).Features() != nil || Major(44).Codec() != nil || Major(0).Codec() != nil {
		t.Error("a major that is not supported has features")
	}
	Major(42).Features().RouteAuthTypes[0] = "changed"
	if Major(42).Features().RouteAuthTypes[0] == "changed" {
		t.Error("the table can be changed")
	}
}

// TestOAuth2ClientOnTheWire: Platform client, section 2.3, in the shape of each major.
// Rows of docs/platform.md: 2.3.1.
func TestOAuth2ClientOnTheWire(t *testing.T) {
	client := OAuth2Client{
		Name: "n", ClientID: "c1", ClientSecret: auth.NewSecret("$2a$10$hash"), ClientSettings: "{1}", TokenSettings: "{2}",
		ClientAuthenticationMethods: []string{"client_secret_basic", "client_secret_post"}, AuthorizationGrantTypes: []string{"authorization_code", "refresh_token"},
		RedirectURIs: []string{"http://localhost:8765"}, Scopes: []string{"ALL"}, Extra: Extra{"odd": json.RawMessage(`[1]`)},
	}
	const later = `{"name":"n","clientId":"c1","clientSecret":"$2a$10$hash","clientSettings":"{1}","tokenSettings":"{2}","odd":[1],
		"clientAuthenticationMethods":"client_secret_basic,client_secret_post","authorizationGrantTypes":"authorization_code,refresh_token","redirectUris":"http://localhost:8765","scopes":"ALL"}`
	for major, want := range map[Major]string{
		41: `{"name":"n","cid":"c1","secret":"$2a$10$hash","clientSettings":"{1}","tokenSettings":"{2}","odd":[1],
			"clientAuthenticationMethods":["client_secret_basic","client_secret_post"],"grantTypes":["authorization_code","refresh_token"],"redirectUris":["http://localhost:8765"],"scopes":["ALL"]}`,
		42: later, 43: later,
	} {
		codec := major.Codec()
		got, err := codec.EncodeOAuth2Client(client)
		if err != nil || !sameJSON(t, string(got), want) {
			t.Errorf("%v: %s, %v", major, got, err)
		}
		back, err := codec.DecodeOAuth2Clients(json.RawMessage(fmt.Sprintf(`{"oAuth2Clients":[%s,{"scopes":null,"redirectUris":["a","b"]},{"redirectUris":" a, b,"}]}`, got)))
		if err != nil || len(back) != 3 {
			t.Fatalf("%v: %v, %v", major, back, err)
		}
		if !back[0].ClientSecret.Equal(client.ClientSecret) {
			t.Errorf("%v: the secret is lost", major)
		}
		back[0].ClientSecret = client.ClientSecret // which cannot be compared deeply
		if again, err := codec.EncodeOAuth2Client(back[0]); err != nil || !sameJSON(t, string(again), want) {
			t.Errorf("%v: %s, %v", major, again, err)
		}
		if want := []string{"a", "b"}; !slices.Equal(back[1].RedirectURIs, want) || !slices.Equal(back[2].RedirectURIs, want) {
			t.Errorf("%v: either shape is to be read: %v", major, back)
		}
		client := client
		client.RedirectURIs = []string{"http://localhost:1/a,b"}
		if _, err := codec.EncodeOAuth2Client(client); (err == nil) != (major == 41) {
			t.Errorf("%v: a comma in a value: %v", major, err)
		}
		for _, bad := range []string{`[]`, `{"oAuth2Clients":{}}`, `{"oAuth2Clients":[{"name":1}]}`, `{"oAuth2Clients":[{"scopes":1}]}`} {
			if _, err := codec.DecodeOAuth2Clients(json.RawMessage(bad)); err == nil {
				t.Errorf("%v: %s is read", major, bad)
			}
		}
	}
	both, err := Major(43).Codec().DecodeOAuth2Clients(json.RawMessage(`{"oAuth2Clients":[{"cid":"a","secret":"planted","grantTypes":["b"]},{"clientId":"c","cid":"d","clientSecret":"planted","secret":"planted"}]}`))
	if err != nil || both[0].ClientID != "a" || both[0].ClientSecret.IsZero() || len(both[0].AuthorizationGrantTypes) != 1 || both[1].ClientID != "c" {
		t.Errorf("names of another major: %+v, %v", both, err)
	}
	if text, err := json.Marshal(both); err != nil || strings.Contains(string(text), "planted") || strings.Contains(fmt.Sprintf("%+v", both), "planted") {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := json.Marshal(client); err != nil || strings.Contains(string(text), "hash") || !strings.Contains(string(text), `"odd":[1]`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestUsersOnTheWire: second factors and dates of passwords. Platform toolkit, section 7.2.
func TestUsersOnTheWire(t *testing.T) {
	date := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		major          Major
		user           string
		enabled, known bool
		date           time.Time
	}{
		{41, `{"twoFactorEnabled":true,"userCredentials":{"twoFA":false,"passwordLastUpdated":"2024-01-02T03:04:05.000"}}`, true, true, date},
		{41, `{"userCredentials":{"twoFA":true},"passwordLastUpdated":"2024-01-02T05:04:05.000+0200"}`, true, true, date},
		{41, `{"twoFactorType":"TOTP_ENABLED"}`, false, false, time.Time{}},
		{42, `{"twoFactorEnabled":true,"passwordLastUpdated":1704164645000}`, false, false, date},
		{42, `{"twoFactorType":"TOTP_ENABLED","passwordLastUpdated":"2024-01-02T03:04:05Z"}`, true, true, date},
		{43, `{"twoFactorType":"NOT_ENABLED","passwordLastUpdated":null}`, false, true, time.Time{}},
		{43, `{"twoFactorType":"EMAIL_ENABLED","passwordLastUpdated":"2024-01-02"}`, true, true, date.Truncate(24 * time.Hour)},
	} {
		codec := test.major.Codec()
		if enabled, known := codec.UserTwoFactor(json.RawMessage(test.user)); enabled != test.enabled || known != test.known {
			t.Errorf("%v, %s: %v, %v", test.major, test.user, enabled, known)
		}
		if got, err := codec.UserPasswordDate(json.RawMessage(test.user)); err != nil || !got.Equal(test.date) {
			t.Errorf("%v, %s: %v, %v", test.major, test.user, got, err)
		}
		for _, bad := range []string{`[]`, `{"passwordLastUpdated":"soon"}`} {
			if _, err := codec.UserPasswordDate(json.RawMessage(bad)); err == nil {
				t.Errorf("%v: %s is read", test.major, bad)
			}
		}
		if _, known := codec.UserTwoFactor(json.RawMessage(`[]`)); known {
			t.Errorf("%v: no user tells", test.major)
		}
	}
}

// TestRouteAuth: the union of the platform toolkit, section 2.9.
func TestRouteAuth(t *testing.T) {
	for _, text := range []string{
		`{"type":"http-basic","username":"u","password":"planted","odd":1}`,
		`{"type":"http-basic","username":"u"}`,
		`{"type":"api-token","token":"planted"}`,
		`{"type":"api-headers","headers":{"X-Key":"planted"}}`,
		`{"type":"api-query-params","queryParams":{"key":"planted","none":""}}`,
		`{"type":"oauth2-client-credentials","tokenUri":"https://a","clientId":"c","clientSecret":"planted","scopes":"a b"}`,
		`{"type":"of-tomorrow","key":{"a":"planted"}}`,
	} {
		var value RouteAuth
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(value)
		if said := string(shown) + fmt.Sprintf("%v %+v %#v", value, &value, value); err != nil || strings.Contains(said, "planted") {
			t.Errorf("%s is shown as %s, %v", text, said, err)
		}
		for _, major := range Majors() {
			codec, err := major.Codec().RouteAuth(value)
			if refused := major == 41 && value.Type == RouteAuthOAuth2; (err != nil) != refused || !refused && !sameJSON(t, string(codec), text) {
				t.Errorf("%v: %s became %s, %v", major, text, codec, err)
			}
		}
	}
	var value RouteAuth
	for _, bad := range []string{`[]`, `{"type":1}`, `{"type":"api-token","token":1}`} {
		if json.Unmarshal([]byte(bad), &value) == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if !reflect.DeepEqual(Major(41).Features().RouteAuthTypes, []string{RouteAuthHeaders, RouteAuthQueryParams, RouteAuthToken, RouteAuthBasic}) {
		t.Error("types of 41")
	}
}

// TestShapes: answers of another shape are errors that say so in the words of JSON, and
// never lists without items. Platform toolkit, sections 2.3 and 2.5.
func TestShapes(t *testing.T) {
	list := func(c *Client) error {
		var into []string
		return c.get(t.Context(), "/api/x", nil, &into)
	}
	object := func(c *Client) error {
		var into struct {
			Text    string `json:"text"`
			Number  int    `json:"number"`
			Boolean bool   `json:"boolean"`
		}
		return c.get(t.Context(), "/api/x", nil, &into)
	}
	group := func(c *Client) error {
		_, err := c.UserGroups().Get(t.Context(), "x", "")
		return err
	}
	for _, test := range []struct {
		read   func(*Client) error
		answer string
		want   string // the end of the error; "" for none
	}{
		{list, `["a"]`, ""},
		{list, `null`, "it is null"},
		{list, `{}`, "it is an object, not an array"},
		{list, `"a"`, "it is a string, not an array"},
		{list, `[1]`, "it is a number, not a string"},
		{object, ` null `, "it is null"},
		{object, `[]`, "it is an array, not an object"},
		{object, `{"text":{}}`, "member text: it is an object, not a string"},
		{object, `{"number":"1"}`, "member number: it is a string, not a number"},
		{object, `{"number":1.5}`, "member number: it is not an integer, or out of range"},
		{object, `{"boolean":[]}`, "member boolean: it is an array, not a boolean"},
		{group, `{"id":"x"}`, ""},
		{group, `[]`, "it is an array, not an object"},
		{group, `{"id":7}`, "member id: it is a number, not a string"},
		{func(c *Client) error { _, err := c.Metadata().TypeNames(t.Context()); return err }, `{}`, `the response has no member called "schemas"`},
		{func(c *Client) error { _, err := c.Metadata().Get(t.Context(), "users", "x", ""); return err }, `null`, "it is null, not an object"},
		{func(c *Client) error { _, err := c.Routes().List(t.Context(), ListOptions{}); return err }, `{}`, `the response has no member called "routes"`},
		{func(c *Client) error { _, err := c.OAuth2Clients().List(t.Context()); return err }, `{}`, `the response has no member called "oAuth2Clients"`},
		{func(c *Client) error { _, err := c.Apps().List(t.Context()); return err }, `null`, "it is null"},
		{func(c *Client) error { _, err := c.Datastore().Namespaces(t.Context()); return err }, `null`, "it is null"},
	} {
		c := serve(t, Options{Pin: 42}, answer(http.StatusOK, test.answer))
		err := test.read(c)
		if test.want == "" && err == nil {
			continue
		}
		if err == nil || test.want == "" || !strings.HasSuffix(err.Error(), test.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", test.answer, err, test.want)
		}
	}
	var records []UserGroup
	if err := unmarshal(json.RawMessage(`[{"users":"x"}]`), &records); err == nil || err.Error() != "member users: it is a string, not an array" {
		t.Error(err)
	}
}

// TestKindOf: what errors call a value.
func TestKindOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "nothing", " \n": "nothing", " {}": "an object", "[]": "an array", `""`: "a text", "true": "a boolean", "false": "a boolean", "null": "null", "-1": "a number",
	} {
		if got := kindOf([]byte(text)); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
}
