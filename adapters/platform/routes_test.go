package platform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestRouteRun: platform client, sections 2.4 and 4: a code is resolved to a uid, once, and a
// GET goes through the route; its answer is raw whatever its status.
// Rows of docs/platform.md: 2.4.1, 4.13, 4.14.
func TestRouteRun(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{Upstream: http.HandlerFunc(echo)})
	ctx, routes := t.Context(), c.Routes()
	answer, err := routes.Run(ctx, "lab", "/a b/c%2f?", url.Values{"q": {"1&2"}}, http.Header{"X-Mine": {"7"}})
	if err != nil || answer.Status != http.StatusTeapot || string(answer.Body) != "GET /api/a%20b/c%252f%3F?q=1%262 Basic dTp1cHN0cmVhbS1wYXNzLTQ3MTE=7" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if r := p.Requests()[0]; r.Path != "/api/routes" || r.Query.Encode() != "fields=id%2Ccode&filter=code%3Aeq%3Alab&pageSize=1" {
		t.Errorf("resolved by %s?%s", r.Path, r.Query.Encode())
	}
	if r := p.Requests()[1]; r.Method != http.MethodGet || r.Path != "/api/routes/"+platformtest.RouteID+"/run/a%20b/c%252f%3F" {
		t.Errorf("run by %s %s", r.Method, r.Path) // its uid: section 2.4
	}
	resolved := func() (times int) {
		for _, line := range sent(p) {
			if line == "GET /api/routes" {
				times++
			}
		}
		return times
	}
	run := func() {
		t.Helper()
		if _, err := routes.Run(ctx, "lab", "x", nil, nil); err != nil {
			t.Error(err)
		}
	}
	if run(); resolved() != 1 {
		t.Error("the code is resolved again")
	}
	if uid, err := c.Routes().UID(ctx, "lab", true); err != nil || uid != platformtest.RouteID || resolved() != 2 {
		t.Errorf("fresh: %s, %v, resolved %d times", uid, err, resolved())
	}
	routes.Invalidate("lab")
	if run(); resolved() != 3 {
		t.Error("a code that was invalidated is not resolved again")
	}
	if err := routes.Patch(ctx, platformtest.RouteID, []platform.PatchOperation{{Op: "replace", Path: "/code", Value: json.RawMessage(`"other"`)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := routes.Run(ctx, "lab", "x", nil, nil); !errors.Is(err, platform.ErrRouteNotFound) {
		t.Errorf("after its code was changed: %v", err)
	}

	p.Forget()
	for _, path := range []string{"..", "a/../../users", "./a", "a/.."} {
		if _, err := routes.Send(ctx, platform.Route{ID: platformtest.RouteID}, platform.RouteCall{Path: path}); !errors.Is(err, platform.ErrRoutePath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := routes.Send(ctx, platform.Route{ID: platformtest.RouteID, URL: "https://lab.example/**"}, platform.RouteCall{}); !errors.Is(err, platform.ErrRoutePath) {
		t.Errorf("a wildcard without a path: %v", err)
	}
	if _, err := routes.Send(ctx, platform.Route{}, platform.RouteCall{Path: "a"}); err == nil {
		t.Error("a route without a uid is run")
	}
	if got := sent(p); len(got) != 0 {
		t.Errorf("sent all the same: %q", got)
	}
	for path, want := range map[string]string{"a/": "a/", "a//b": "a//b", "/": ""} {
		p.Forget()
		_, err := routes.Send(ctx, platform.Route{ID: platformtest.RouteID}, platform.RouteCall{Path: path})
		if got := strings.TrimPrefix(p.Requests()[0].Path, "/api/routes/"+platformtest.RouteID+"/run"); err != nil || strings.TrimPrefix(got, "/") != want {
			t.Errorf("%q: %s, %v", path, got, err)
		}
	}
	p.Forget()
	answer, err = routes.Send(ctx, platform.Route{ID: platformtest.RouteID}, platform.RouteCall{Method: http.MethodPut, Path: "a", Body: []byte(`{}`)})
	if err != nil || !strings.HasPrefix(string(answer.Body), "PUT /api/a?") || p.Requests()[0].Header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestRouteRunErrors: platform client, section 7.
// Rows of docs/platform.md: 7.5, 7.6.
func TestRouteRunErrors(t *testing.T) {
	c, _ := onDouble(t, platformtest.Options{})
	t.Run("no route matches the code", func(t *testing.T) {
		_, err := c.Routes().Run(t.Context(), "la", "x", nil, nil)
		var lookup *platform.LookupError
		var client platform.ClientError
		if !errors.Is(err, platform.ErrRouteNotFound) || !errors.Is(err, platform.ErrLookup) || !errors.As(err, &lookup) || lookup.Name != "la" || errors.As(err, &client) {
			t.Errorf("%v", err)
		}
	})
	t.Run("proxy returns 502", func(t *testing.T) {
		answer, err := c.Routes().Run(t.Context(), "lab", "x", nil, nil)
		if err != nil || answer.Status != http.StatusBadGateway || !strings.Contains(string(answer.Body), "does not answer") {
			t.Errorf("%+v, %v", answer, err)
		}
	})
}

// TestRoutesManaged: a written route can be read by uid and by code, without its secrets.
// Rows of docs/platform.md: 2.4.1.
func TestRoutesManaged(t *testing.T) {
	onMajors(t, func(t *testing.T, c *platform.Client, p *platformtest.Platform) {
		ctx, routes := t.Context(), c.Routes()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		uid, err := routes.Create(ctx, platform.Route{
			Code: "Elevenchars", Name: "N", URL: "https://e.example/**", Authorities: []string{"F_E"}, Headers: map[string]string{"X-A": "b"},
			Extra: platform.Extra{"sharing": json.RawMessage(`{"public":"r-------"}`)},
		})
		must(err)
		for _, name := range []string{uid, "Elevenchars"} {
			route, err := routes.Get(ctx, name)
			must(err)
			if route.ID != uid || route.Code != "Elevenchars" || !route.Wildcard() || route.Headers["X-A"] != "b" || string(route.Extra["sharing"]) != `{"public":"r-------"}` {
				t.Errorf("%s: %+v", name, route)
			}
		}
		route, err := routes.Get(ctx, uid)
		must(err)
		route.Disabled, route.Name = true, "M"
		must(routes.Update(ctx, uid, *route))
		must(routes.Patch(ctx, uid, []platform.PatchOperation{{Op: "replace", Path: "/url", Value: json.RawMessage(`"https://f.example"`)}}))
		list, err := routes.List(ctx, platform.ListOptions{Order: []string{"code:asc"}})
		must(err)
		if len(list) != 2 || list[0].Name != "M" || !list[0].Disabled || list[0].Wildcard() || list[1].Auth.Type != platform.RouteAuthBasic || list[1].Auth.Username != "u" {
			t.Errorf("%+v", list)
		}
		must(routes.Delete(ctx, uid))
		_, err = routes.Get(ctx, uid)
		if !errors.Is(err, platform.ErrRouteNotFound) {
			t.Errorf("a route that was deleted: %v", err)
		}
		wantAPIError(t, routes.Delete(ctx, uid), http.StatusNotFound, uid)
		wantAPIError(t, routes.Update(ctx, uid, *route), http.StatusNotFound, uid)
		_, err = routes.List(ctx, platform.ListOptions{Order: []string{"code"}})
		if err == nil {
			t.Error("an order without a direction is taken")
		}
		p.Fault("/api/routes/*", platformtest.Fault{Status: 403})
		_, err = routes.Get(ctx, uid)
		wantAPIError(t, err, http.StatusForbidden, "A test wants it so")
	})
}

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
