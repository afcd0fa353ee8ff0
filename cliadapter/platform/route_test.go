package platform_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// withUpstream makes routes lead to a server that returns the request it received.
func withUpstream(o *platformtest.Options) {
	o.Upstream = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/none") {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(r.Method + " " + r.URL.EscapedPath() + "?" + r.URL.RawQuery + " " + r.Header.Get("X-Mine") + string(body)))
	})
}

// TestRouteRun: platform client, section 4: the command sends a request through a route
// and prints the raw answer.
// Rows of docs/platform.md: 4.14.
func TestRouteRun(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.input = `{"a":1}`
		for line, want := range map[string]string{
			"lab --path patients/4":                                "GET /api/patients/4? ",
			"Rte00000001 --path a --param q=1&2 --header X-Mine=7": "GET /api/a?q=1%262 7",
			"lab --path a -X POST --body -":                        `POST /api/a? {"a":1}`,
			"lab --path a --json":                                  "GET /api/a? ",
		} {
			if out := p.must(t, append([]string{"route", "run"}, strings.Fields(line)...)...); out != want {
				t.Errorf("%s: %q", line, out)
			}
		}
		code, out, errs := p.run(t, "route", "run", "lab", "--path", "none")
		if code != 0 || out != "GET /api/none? " || errs != "the response has status 404 Not Found\n" {
			t.Errorf("%d, %q, %q", code, out, errs)
		}
	}, withUpstream)
}

// TestRouteRunFails: platform client, section 7: no route matches the code; a proxy's 502
// is returned raw.
// Rows of docs/platform.md: 7.5, 7.6.
func TestRouteRunFails(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		if errs := p.fails(t, 1, "route", "run", "nolab", "--path", "x"); !strings.Contains(errs, `no route has this code: "nolab"`) {
			t.Error(errs)
		}
		code, out, errs := p.run(t, "route", "run", "lab", "--path", "x")
		if code != 0 || !strings.Contains(out, "does not answer") || errs != "the response has status 502 Bad Gateway\n" {
			t.Errorf("502: %d, %q, %q", code, out, errs)
		}
		for line, want := range map[string]string{
			"lab":                        "name a path below it with --path",
			"lab --path x --body f":      "a GET request has no body",
			"lab --path x --param q":     "flag --param is NAME=VALUE",
			"lab --path x --header =x":   "flag --header is NAME=VALUE",
			"lab --path x --method BREW": "flag --method must be one of",
		} {
			if errs := p.fails(t, 2, append([]string{"route", "run"}, strings.Fields(line)...)...); !strings.Contains(errs, want) {
				t.Errorf("%s: %s", line, errs)
			}
		}
		if errs := p.fails(t, 1, "route", "run", "lab", "--path", "../../users"); !strings.Contains(errs, "the path does not fit the route") {
			t.Error(errs)
		}
	})
}

// TestRoutesManaged: create, list, get, update, patch and delete, by uid and by code.
// Rows of docs/platform.md: T3.4.
func TestRoutesManaged(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ROUTE_UPSTREAM_PASSWORD"] = "up-Sw0rdfish"
		p.env["PLATFORM_ROUTE_UPSTREAM_TOKEN"] = "up-T0ken"
		out := p.must(t, "route", "create", "--code", "new", "--url", "https://new.example/**", "--auth", "http-basic", "--username", "ada", "--authority", "F_A", "--header", "X-A=b", "--disabled")
		uid, _, _ := strings.Cut(strings.TrimPrefix(out, "created route "), " ")
		if out != "created route "+uid+" (new)\n" || len(uid) != 11 {
			t.Fatalf("%q", out)
		}
		if body := lastBody(p, http.MethodPost); body != `{"code":"new","name":"new","url":"https://new.example/**","disabled":true,"authorities":["F_A"],"headers":{"X-A":"b"},"auth":{"type":"http-basic","username":"ada","password":"up-Sw0rdfish"}}` {
			t.Errorf("sent %s", body)
		}
		p.must(t, "route", "create", "--code", "token", "--name", "T", "--url", "https://t.example", "--auth", "api-token", "--json")
		table := p.must(t, "route", "list", "--filter", "code:eq:new")
		if want := "UID          CODE  NAME  URL                     AUTH        DISABLED\n" + uid + "  new   new   https://new.example/**  http-basic  yes\n"; table != want {
			t.Errorf("%s, want\n%s", table, want)
		}
		if list := p.must(t, "route", "ls", "--json"); strings.Count(list, `"code"`) != 3 || strings.Contains(list, "up-") {
			t.Errorf("%s", list)
		}
		if one := p.must(t, "route", "get", "new"); !strings.Contains(one, `"id": "`+uid+`"`) || !strings.Contains(one, `"username": "ada"`) {
			t.Errorf("%s", one)
		}
		p.input = `[{"op":"replace","path":"/disabled","value":false}]`
		if out := p.must(t, "route", "patch", "new", "-"); out != "patched route "+uid+" (new)\n" {
			t.Errorf("%q", out)
		}
		p.input = `{"code":"newer","name":"N","url":"https://n.example","future":1,"auth":{"type":"api-token","token":"up-T0ken"}}`
		if out := p.must(t, "route", "update", uid, "-"); out != "updated route "+uid+" (newer)\n" {
			t.Errorf("%q", out)
		}
		if one := p.must(t, "route", "get", uid); !strings.Contains(one, `"future": 1`) || !strings.Contains(one, `"disabled": false`) {
			t.Errorf("%s", one)
		}
		if out := p.must(t, "route", "delete", "newer", "-y"); out != "deleted route "+uid+" (newer)\n" {
			t.Errorf("%q", out)
		}
		p.input = `{"code":"file","name":"F","url":"https://f.example"}`
		p.must(t, "route", "create", "-")
	})
}

func TestRoutesFail(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for line, want := range map[string]string{
			"create -":               "-: the JSON does not have the expected form",
			"patch lab -":            "-: the JSON does not have the expected form",
			"create f.json --code x": "FILE has the complete route; leave out --code",
			"create --code x":        "a route needs --code and --url",

			"create --code x --url https://x.example --username a":                "--username cannot be used with --auth",
			"create --code x --url https://x.example --auth http-basic":           "--auth http-basic needs --username",
			"create --code x --url https://x.example --auth api-token --scopes a": "--scopes cannot be used with --auth api-token",
		} {
			p.input = `"Sw0rdfish`
			if errs := p.fails(t, 2, append([]string{"route"}, strings.Fields(line)...)...); !strings.Contains(errs, want) || strings.Contains(errs, "Sw0rd") {
				t.Errorf("%s: %s", line, errs)
			}
		}
		p.input = `{"id":"Rte00000009","code":"lab"}`
		for line, want := range map[string]string{
			"get none":             `no route has this code: "none"`,
			"delete lab":           "give --yes",
			"update lab -":         "- is of the route Rte00000009, not of Rte00000001",
			"update lab none.json": "no such file",
			"create --code x --url https://x.example --auth api-headers --auth-name X-Key": "set PLATFORM_ROUTE_UPSTREAM_VALUE",
			"list --filter code": `filter "code" is not`,
		} {
			if errs := p.fails(t, 1, append([]string{"route"}, strings.Fields(line)...)...); !strings.Contains(errs, want) {
				t.Errorf("%s: %s", line, errs)
			}
		}
		p.typed = []string{"typed-Sw0rdfish"}
		out := p.must(t, "route", "create", "--code", "x", "--url", "https://x.example", "--auth", "api-query-params", "--auth-name", "key")
		if body := lastBody(p, http.MethodPost); !strings.Contains(body, `"queryParams":{"key":"typed-Sw0rdfish"}`) || strings.Contains(out, "Sw0rd") {
			t.Errorf("%s: %s", out, body)
		}
	})
}

// TestRouteOAuth2ClientCredentials: routes have this authentication from v42. Platform
// toolkit, section 7.2.
func TestRouteOAuth2ClientCredentials(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.env["PLATFORM_ROUTE_UPSTREAM_CLIENT_SECRET"] = "Sw0rdfish"
		line := strings.Fields("route create --code x --url https://x.example --auth oauth2-client-credentials --token-uri https://t.example --client-id c --scopes a")
		if p.major == 41 {
			if errs := p.fails(t, 1, line...); !strings.Contains(errs, "oauth2-client-credentials") || !strings.Contains(errs, "v41") {
				t.Error(errs)
			}
			return
		}
		p.must(t, line...)
		if body := lastBody(p, http.MethodPost); !strings.Contains(body, `"tokenUri":"https://t.example","clientId":"c","clientSecret":"Sw0rdfish","scopes":"a"`) {
			t.Error(body)
		}
	})
}
