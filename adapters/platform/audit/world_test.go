package audit_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

type object = platformtest.Object

// The time of all audits in tests, and the personal access tokens of the two accounts of a world.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

const (
	chiefPAT  = "d2pat_chiefChiefChiefChiefChiefChief0003"
	helperPAT = "d2pat_helperHelperHelperHelperHelper0004"
)

// A world is a platform with the settings of an audit. The first world has nothing to find, but for
// what is always found.
type world struct {
	platformtest.Options
	pat     string
	plain   bool // http in place of https
	feed    string
	noFeed  bool
	conf    string   // content of the server configuration file
	late    []string // paths that fail after the scanner is connected
	options audit.Options
}

const cleanFeed = `{"versions": [
	{"name": "2.41", "version": 41, "supported": true, "latest": false, "latestPatchVersion": 8, "latestHotfixVersion": 2},
	{"name": "2.42", "version": 42, "supported": true, "latest": true, "latestPatchVersion": 6, "latestHotfixVersion": null},
	{"name": "2.40", "version": 40, "supported": false, "latest": false, "latestPatchVersion": 9, "latestHotfixVersion": 1}]}`

// clean returns a world with nothing to find.
func clean() *world {
	sharing := func(public string) object {
		return object{"owner": "Usr00000010", "external": false, "public": public, "users": object{}, "userGroups": object{}}
	}
	return &world{
		pat: chiefPAT, feed: cleanFeed, conf: "audit.database = on\n",
		options: audit.Options{CredentialProbe: true, Now: now},
		Options: platformtest.Options{
			Major: 42, Version: "2.42.6",
			Headers: http.Header{
				"Strict-Transport-Security": {"max-age=31536000; includeSubDomains"}, "Content-Security-Policy": {"frame-ancestors 'self';"},
				"X-Content-Type-Options": {"nosniff"}, "Server": {"gateway"}, "Cross-Origin-Opener-Policy": {"same-origin"},
				"Cross-Origin-Embedder-Policy": {"require-corp"}, "Cross-Origin-Resource-Policy": {"same-origin"},
				"Access-Control-Allow-Origin": {"https://app.example"},
			},
			Settings: map[string]any{
				"minPasswordLength": 12, "keyLockMultipleFailedLogins": true, "credentialsExpires": 6, "keySelfRegistrationNoRecaptcha": false,
				"keyCanGrantOwnUserAuthorityGroups": false, "enforceVerifiedEmail": true, "keyAccountRecovery": false,
			},
			World: &platformtest.World{
				Empty: []string{"users", "userRoles", "routes", "dashboards", "dataSets", "programs", "indicators", "dataElements", "userGroups"},
				PATs:  map[string]string{chiefPAT: "chief", helperPAT: "helper"},
				Apps: []object{
					{"key": "dashboard", "name": "Dashboard", "version": "100.1.0", "bundled": true, "core_app": true, "app_hub_id": "a1"},
					{"key": "widget", "name": "Widget", "version": "2.0.0", "bundled": false, "app_hub_id": "app-1"},
				},
				Hub:           []object{{"id": "app-1", "name": "Widget", "versions": []object{{"version": "v1.9"}, {"version": "2.0.0-rc"}, {"version": "beta"}}}},
				Schemas:       []object{{"name": "sqlView", "plural": "../../users", "shareable": true}, {"name": "document", "plural": "documents", "shareable": false}},
				DataShareable: []string{"dataSet", "program"},
			},
			Objects: map[string][]object{
				"userRoles": {
					{"id": "Rol00000010", "name": "Clerk", "authorities": []string{"F_DATAVALUE_ADD"}, "users": refs("Usr00000011")},
					{"id": "Rol00000011", "name": "Superuser", "authorities": []string{"ALL"}, "users": refs("Usr00000010")},
				},
				"users": {
					account("Usr00000010", "chief", "Rol00000011"), account("Usr00000011", "helper", "Rol00000010"),
				},
				"dataSets":   {{"id": "Dat00000010", "name": "Monthly", "shortName": "Monthly", "periodType": "Monthly", "sharing": sharing("r-------")}},
				"dashboards": {{"id": "Dsh00000010", "name": "Overview", "sharing": sharing("r-------")}},
				"sqlViews":   {{"id": "Sql00000010", "name": "Counts", "sharing": sharing("--------")}},
				"documents":  {{"id": "Doc00000010", "name": "Open", "sharing": sharing("rwrw----")}},
			},
		},
	}
}

func refs(ids ...string) (list []object) {
	for _, id := range ids {
		list = append(list, object{"id": id})
	}
	return list
}

// account returns a user of good standing.
func account(id, username string, roles ...string) object {
	return object{
		"id": id, "username": username, "firstName": username, "surname": "User", "disabled": false, "email": username + "@platform.example", "twoFactorType": "TOTP_ENABLED",
		"lastLogin": "2026-05-30T08:00:00.000", "passwordLastUpdated": "2026-01-01T08:00:00.000+0200", "userRoles": refs(roles...), "userGroups": refs(), "organisationUnits": refs(),
	}
}

// with adds to an object.
func with(o object, pairs ...any) object {
	for i := 0; i+1 < len(pairs); i += 2 {
		o[pairs[i].(string)] = pairs[i+1]
	}
	return o
}

func (w *world) add(plural string, objects ...object) {
	w.Objects[plural] = append(w.Objects[plural], objects...)
}

func (w *world) fault(path string, f platformtest.Fault) {
	if w.Faults == nil {
		w.Faults = map[string]platformtest.Fault{}
	}
	w.Faults[path] = f
}

// answers makes a path respond with a status and a body.
func (w *world) answers(path string, status int, body string) {
	w.fault(path, platformtest.Fault{Status: status, Body: body})
}

// A running is a platform that has started, with a scanner.
type running struct {
	*platformtest.Platform
	world   *world
	client  platform.Options
	scanner *audit.Scanner
}

// start starts the platform of a world.
func (w *world) start(t testing.TB) *running {
	t.Helper()
	p := platformtest.Unstarted(w.Options)
	server := httptest.NewUnstartedServer(p.Handler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	r := &running{Platform: p, world: w}
	if w.plain {
		server.Start()
	} else {
		server.StartTLS()
		r.client.TLS = server.Client().Transport.(*http.Transport).TLSClientConfig
	}
	t.Cleanup(server.Close)
	r.URL = server.URL + w.ContextPath
	return r
}

// connect makes the scanner.
func (r *running) connect(t testing.TB) *audit.Scanner {
	t.Helper()
	r.client.UserAgent = "roget-security-audit"
	s, err := audit.Connect(t.Context(), audit.Target{BaseURL: r.URL, Provider: auth.NewPAT(auth.NewSecret(r.world.pat)), Client: r.client, Fallback: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	r.scanner = s
	return s
}

// run audits with the options of the world and checks that nothing but permitted requests was sent.
func (r *running) run(t testing.TB) []audit.Result {
	t.Helper()
	if r.scanner == nil {
		r.connect(t)
	}
	for _, path := range r.world.late {
		r.Fault(path, platformtest.Fault{Status: 500})
	}
	o := r.world.options
	if !r.world.noFeed {
		o.Releases = func(context.Context) ([]byte, error) { return []byte(r.world.feed), nil }
	}
	if r.world.conf != "" {
		o.ServerConfig = filepath.Join(t.TempDir(), "dhis.conf")
		if err := os.WriteFile(o.ServerConfig, []byte(r.world.conf), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var results []audit.Result
	err := r.scanner.Run(t.Context(), o, nil, func(result audit.Result) error {
		results = append(results, result)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.onlyPermitted(t)
	return results
}

// panicking is a feed of releases that panics.
func panicking(context.Context) ([]byte, error) { panic("the feed is broken") }

// secretWords are members that an audit never asks for.
var secretWords = []string{"password", "secret", "token", "apikey", "cookie", "credential", "encrypt"}

// onlyPermitted checks every request that the platform has received: GET of a path on the list, without a
// body, with X-Requested-With, no secret in fields, one login at the most.
func (r *running) onlyPermitted(t testing.TB) {
	t.Helper()
	logins := 0
	for _, request := range r.Requests() {
		if request.Method != http.MethodGet || len(request.Body) > 0 || !slices.Contains(audit.Permitted(), request.Path) {
			t.Errorf("%s %s was sent", request.Method, request.Path)
		}
		if request.Header.Get("X-Requested-With") != "XMLHttpRequest" {
			t.Errorf("%s was sent without X-Requested-With", request.Path)
		}
		fields := strings.ToLower(strings.Join(request.Query["fields"], ","))
		for _, allowed := range []string{"passwordlastupdated", "usercredentials"} { // dates and flags
			fields = strings.ReplaceAll(fields, allowed, "")
		}
		for _, word := range secretWords {
			if strings.Contains(fields, word) {
				t.Errorf("%s asks for %s", request.Path, fields)
			}
		}
		if name, _, ok := basic(request.Header); ok {
			logins++
			if name != "admin" || request.Path != "/api/me" {
				t.Errorf("login as %s at %s", name, request.Path)
			}
		}
	}
	if logins > 1 {
		t.Errorf("%d logins were tried", logins)
	}
}

func basic(header http.Header) (string, string, bool) {
	return (&http.Request{Header: header}).BasicAuth()
}

// control returns the outcome of a control.
func control(t testing.TB, results []audit.Result, id string) audit.Outcome {
	t.Helper()
	for _, result := range results {
		for _, outcome := range result.Controls {
			if outcome.ID == id {
				return outcome
			}
		}
	}
	t.Fatalf("no outcome of %s", id)
	return audit.Outcome{}
}
