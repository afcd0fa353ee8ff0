package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestRouteSecrets: the union of section 2.9 of the platform toolkit. Secrets reach the
// upstream, and nothing else.
// Rows of docs/platform.md: 2.2.5.
func TestRouteSecrets(t *testing.T) {
	secret := auth.NewSecret("Sw0rd/fish")
	types := []struct {
		auth platform.RouteAuth
		want string // at the upstream
	}{
		{platform.RouteAuth{Type: platform.RouteAuthBasic, Username: "u", Password: secret}, " Basic dTpTdzByZC9maXNo"},
		{platform.RouteAuth{Type: platform.RouteAuthToken, Token: secret}, " ApiToken Sw0rd/fish"},
		{platform.RouteAuth{Type: platform.RouteAuthHeaders, Headers: map[string]auth.Secret{"X-Key": secret}}, " Sw0rd/fish"},
		{platform.RouteAuth{Type: platform.RouteAuthQueryParams, QueryParams: map[string]auth.Secret{"key": secret}}, "?key=Sw0rd%2Ffish "},
		{platform.RouteAuth{Type: platform.RouteAuthOAuth2, TokenURI: "https://t.example", ClientID: "c", ClientSecret: secret, Scopes: "a"}, ""},
	}
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			c, p := onDouble(t, platformtest.Options{Major: int(major), Upstream: http.HandlerFunc(echo)})
			for _, kind := range types {
				route := platform.Route{Code: kind.auth.Type, Name: kind.auth.Type, URL: "https://e.example", Auth: &kind.auth}
				p.Forget()
				uid, err := c.Routes().Create(t.Context(), route)
				if major == 41 && kind.auth.Type == platform.RouteAuthOAuth2 {
					if err == nil || !strings.Contains(err.Error(), "v41") || len(p.Requests()) != 0 {
						t.Errorf("%s on v41: %v", kind.auth.Type, err)
					}
					continue
				}
				if err != nil || !strings.Contains(bodyOf(t, p, http.MethodPost), secret.Reveal()) {
					t.Fatalf("%s: %v", kind.auth.Type, err)
				}
				answer, err := c.Routes().Run(t.Context(), kind.auth.Type, "", nil, nil)
				if err != nil || !strings.Contains(string(answer.Body), kind.want) {
					t.Errorf("%s: %s, %v", kind.auth.Type, answer.Body, err)
				}
				back, err := c.Routes().Get(t.Context(), uid)
				if err != nil || back.Auth.Type != kind.auth.Type || back.Auth.ClientID != kind.auth.ClientID {
					t.Errorf("%+v, %v", back, err)
				}
				text, err := json.Marshal(route)
				if shown := fmt.Sprintf("%+v %#v %s", route, *route.Auth, text); err != nil || strings.Contains(shown, "Sw0rd") {
					t.Errorf("%s, %v", shown, err)
				}
			}
			p.Fault("/api/routes*", platformtest.Fault{Status: 409, Body: `{"message":"bad auth: Sw0rd/fish, Sw0rd\/fish"}`})
			for what, call := range map[string]func() error{
				"create": func() error {
					_, err := c.Routes().Create(t.Context(), platform.Route{Code: "x", Auth: &types[0].auth})
					return err
				},
				"update": func() error {
					return c.Routes().Update(t.Context(), platformtest.RouteID, platform.Route{Auth: &types[2].auth})
				},
				"patch of a member": func() error {
					return c.Routes().Patch(t.Context(), platformtest.RouteID, []platform.PatchOperation{{Op: "add", Path: "/auth/password", Value: json.RawMessage(`"Sw0rd\/fish"`)}})
				},
				"patch": func() error {
					return c.Routes().Patch(t.Context(), platformtest.RouteID, []platform.PatchOperation{{Op: "add", Path: "/auth", Value: json.RawMessage(`{"type":"api-token","token":"Sw0rd/fish"}`)}})
				},
			} {
				err := call()
				wantAPIError(t, err, 409, "bad auth")
				if api, ok := errors.AsType[*platform.APIError](err); !ok || strings.Contains(err.Error()+string(api.Body), "Sw0rd") {
					t.Errorf("%s: the error repeats a secret: %v, %s", what, err, api.Body)
				}
			}
		})
	}
}

// TestRouteRoundTrip: unknown members of a route and unknown types of authentication
// survive a round trip.
func TestRouteRoundTrip(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{})
	const doc = `{"auth":{"keys":[1,{"a":null}],"type":"mutual-tls"},"code":"x","description":null,"disabled":false,"future":{"b":[]},"id":"Rte00000001","name":"X"}`
	var route platform.Route
	if err := json.Unmarshal([]byte(doc), &route); err != nil {
		t.Fatal(err)
	}
	err := c.Routes().Update(t.Context(), route.ID, route)
	wantAPIError(t, err, http.StatusConflict, "mutual-tls") // the platform judges, not the client
	var got, want any
	if err := errors.Join(json.Unmarshal([]byte(bodyOf(t, p, http.MethodPut)), &got), json.Unmarshal([]byte(doc), &want)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %v", bodyOf(t, p, http.MethodPut), err)
	}
	var masked platform.RouteAuth
	text, err := json.Marshal(platform.RouteAuth{Type: platform.RouteAuthHeaders, Headers: map[string]auth.Secret{"X-Key": auth.NewSecret("x")}, Password: auth.NewSecret("y")})
	if err := errors.Join(err, json.Unmarshal(text, &masked)); err != nil || !masked.Password.IsZero() || !masked.Headers["X-Key"].IsZero() {
		t.Errorf("a mask is read as a secret: %s, %v", text, err)
	}
	if types := platform.Major(41).Features().RouteAuthTypes; slices.Contains(types, platform.RouteAuthOAuth2) || len(types) != 4 {
		t.Errorf("types of v41: %q", types)
	}
}
