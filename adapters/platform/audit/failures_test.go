package audit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// dependents are the checks or controls that need a path: nothing of them may pass where it fails.
var dependents = map[string][]string{
	"/api/system/info":                        {"transport-"},
	"/api/systemSettings":                     {"settings-", "guest-account-recovery-enabled", "apps-custom-js", "apps-custom-css"},
	"/api/configuration/corsWhitelist":        {"settings-cors-wildcard", "settings-cors-allowlist"},
	"/api/me/authorization":                   {"authorities-"},
	"/api/userRoles":                          {"roles-", "hygiene-", "guest-anonymous-readable-endpoint"},
	"/api/users":                              {"hygiene-", "guest-anonymous-readable-endpoint"},
	"/api/users/twoFactor/summary":            {"hygiene-2fa-superuser"},
	"/api/me":                                 {"credential-probe-default", "guest-anonymous-readable-endpoint"},
	"/api/configuration/selfRegistrationRole": {"guest-self-registration-enabled"},
	"/api/apps":                               {"apps-"},
	"/api/appHub":                             {"apps-update-available"},
	"/api/schemas":                            {"sharing-"},
	"/api/dataSets":                           {"sharing-"},
	"/api/dashboards":                         {"sharing-"},
	"/api/sqlViews":                           {"sharing-"},
	"/api/loginConfig":                        {"auth-methods-"},
	"/api/oAuth2Clients":                      {"auth-methods-oauth2-"},
	"/api/apiToken":                           {"tokens-"},
	"/api/routes":                             {"routes-"},
}

// failures are the ways in which a read fails.
var failures = map[string]platformtest.Fault{
	"500":                        {Status: 500},
	"403":                        {Status: 403},
	"404":                        {Status: 404, Body: "<html>no</html>"},
	"dropped":                    {Drop: true},
	"cut body":                   {Cut: true},
	"cut list":                   {Cut: true, Body: `{"users":[],"userRoles":[],"schemas":[],"dataSets":[],"dashboards":[],"sqlViews":[],"oAuth2Clients":[],"apiToken":[],"routes":[]}`},
	"HTML":                       {HTML: true},
	"redirect to the login page": {Status: 302, Header: http.Header{"Location": {"/dhis-web-login/"}}},
	"redirect elsewhere":         {Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/"}}},
	"null":                       {Status: 200, Body: "null"},
	"a number":                   {Status: 200, Body: "7"},
	"half a document":            {Status: 200, Body: `{"users": [`},
	"other types":                {Status: 200, Body: `{"users":{},"userRoles":"x","schemas":1,"dataSets":{},"dashboards":7,"sqlViews":"","oAuth2Clients":{},"apiToken":{},"routes":{},"oidcProviders":{},"privileged":[],"minPasswordLength":{"a":1},"keyAccountRecovery":[1]}`},
}

// conclusive are the responses that answer a control all the same: a request without login that is
// refused, no role, settings that are unset.
var conclusive = map[string][]string{
	"/api/userRoles": {"403", "redirect to the login page"}, "/api/users": {"403", "redirect to the login page"}, "/api/me": {"403", "redirect to the login page"},
}

// TestFailedReads: where a read fails, no control that needs it passes, what failed is said, the other
// checks are as they are without the failure, and nothing else is requested.
// Rows of docs/platform.md: 2.6.3, T5.1, T5.4.
func TestFailedReads(t *testing.T) {
	usual := clean().start(t).run(t)
	for path, needs := range dependents {
		for name, fault := range failures {
			t.Run(name+path, func(t *testing.T) {
				t.Parallel()
				r := clean().start(t)
				r.connect(t)
				r.Fault(path, fault)
				results := r.run(t)
				if len(results) != 14 {
					t.Fatalf("%d results", len(results))
				}
				dependent := func(id string) bool {
					return slices.ContainsFunc(needs, func(need string) bool {
						return id == need || strings.HasSuffix(need, "-") && strings.HasPrefix(id, need)
					})
				}
				for i, result := range results {
					for j, o := range result.Controls {
						before := usual[i].Controls[j]
						switch {
						case !dependent(o.ID):
							if o.Status != before.Status || o.Note != before.Note {
								t.Errorf("%+v, without the failure %+v", o, before)
							}
						case o.Status == audit.Pass && !settled(path, name, o.ID):
							t.Errorf("%s passed", o.ID)
						case o.Status == audit.Skipped && o.Note == "":
							t.Errorf("%s has no reason", o.ID)
						}
					}
					if result.Status == audit.StatusError {
						t.Errorf("%s: %s", result.Check, result.Note)
					}
					if result.Status == audit.StatusDegraded && result.Note == "" {
						t.Errorf("%s does not say why", result.Check)
					}
				}
			})
		}
	}
}

// settled reports whether a response of a path answers a control after all.
func settled(path, failure, id string) bool {
	switch id {
	case "guest-anonymous-readable-endpoint":
		return slices.Contains(conclusive[path], failure)
	case "guest-self-registration-enabled": // no role is named
		return failure == "null" || failure == "other types"
	case "apps-custom-js", "apps-custom-css": // an object without these settings
		return failure == "other types"
	case "settings-email-feature-without-smtp", "settings-cors-wildcard", "settings-cors-allowlist":
		return failure == "other types"
	}
	return path == "/api/system/info" && failure == "other types" // only headers are judged
}

// TestPanic: a panic in a check is a result of that check, and the others run.
// Rows of docs/platform.md: T5.1.
func TestPanic(t *testing.T) {
	w := clean()
	panics(w)
	results := w.start(t).run(t)
	if len(results) != 14 || results[0].Status != audit.StatusError || !strings.Contains(results[0].Note, "the feed is broken") {
		t.Fatalf("%+v", results[0])
	}
	for _, o := range results[0].Controls {
		if o.Status != audit.Skipped || o.Note != notEvaluated {
			t.Errorf("%+v", o)
		}
	}
	for _, result := range results[1:] {
		if result.Status == audit.StatusError {
			t.Errorf("%+v", result)
		}
	}
}

// TestUnexpectedError: an error that is no failed read is an error of the check.
// Rows of docs/platform.md: T5.1.
func TestUnexpectedError(t *testing.T) {
	w := clean()
	w.options.Graph = func(audit.Graph) error { return errors.New("the disk is full") }
	for _, result := range w.start(t).run(t) {
		if want := result.Check == audit.CheckSharing; (result.Status == audit.StatusError) != want || want && !strings.Contains(result.Note, "the disk is full") {
			t.Errorf("%s: %s %s", result.Check, result.Status, result.Note)
		}
	}
}

// TestMajors: an audit of every supported version, as a superuser and as anybody, has no error and sends
// nothing but what is permitted.
// Rows of docs/platform.md: 2.6.3, 9.3, T5.4, T5.9.
func TestMajors(t *testing.T) {
	for _, version := range []string{"2.41.9", "2.42.4", "2.42.5", "2.42.7", "2.43.2"} {
		for _, pat := range []string{chiefPAT, helperPAT} {
			for _, context := range []string{"", "/ctx"} {
				t.Run(version+context, func(t *testing.T) {
					t.Parallel()
					w := clean()
					w.Major, w.Version, w.pat, w.ContextPath = int(version[3]-'0')+40, version, pat, context
					w.options.TwoFactorDetail = true
					graph := 0
					w.options.Graph = func(g audit.Graph) error {
						graph += len(g.Nodes)
						return nil
					}
					add("users", func() object {
						return with(account("Usr00000012", "root", "Rol00000011"), "twoFactorType", "NOT_ENABLED")
					})(w)
					for _, result := range w.start(t).run(t) {
						if result.Status != audit.StatusOK {
							t.Errorf("%s: %s %s", result.Check, result.Status, result.Note)
						}
						if result.Check != audit.CheckHygiene {
							continue
						}
						o := control(t, []audit.Result{result}, "hygiene-2fa-superuser")
						named := slices.ContainsFunc(result.Findings, func(f audit.Finding) bool {
							return f.Control == o.ID && f.Subject == "root" && f.Severity == audit.Critical
						})
						if powerful := pat == chiefPAT && platformtest.RulesOf(w.Version).TwoFactor || w.Major == 41; (o.Status == audit.Flagged) != powerful || named != powerful {
							t.Errorf("%+v", o)
						}
					}
					if graph < 7 {
						t.Errorf("the graph has %d nodes", graph)
					}
				})
			}
		}
	}
}

// TestVeto: a request that is not permitted ends the run, although the check goes on as if nothing had
// happened.
// Rows of docs/platform.md: 2.6.3, T5.2.
func TestVeto(t *testing.T) {
	r := clean().start(t)
	s := r.connect(t)
	var checks []audit.Key
	o := audit.Options{BeforeLogin: func() error {
		_, _ = audit.ClientOf(s).Do(context.Background(), platform.Request{Method: "DELETE", Path: "/api/users/Usr00000010"})
		return errors.New("swallowed")
	}, CredentialProbe: true}
	err := s.Run(t.Context(), o, nil, func(result audit.Result) error {
		checks = append(checks, result.Check)
		return nil
	})
	if !errors.Is(err, audit.ErrForbidden) || !errors.Is(err, platform.ErrVetoed) || slices.Contains(checks, audit.CheckCredentialProbe) || len(checks) != 6 {
		t.Error(err, checks)
	}
	sent := len(r.Requests())
	if err := s.Run(t.Context(), audit.Options{}, nil, nil); !errors.Is(err, audit.ErrForbidden) || len(r.Requests()) != sent {
		t.Errorf("the run begins again: %v", err)
	}
	r.onlyPermitted(t)
}

// TestRunEnds: the errors of the caller and of the context end a run.
// Rows of docs/platform.md: T5.1.
func TestRunEnds(t *testing.T) {
	r := clean().start(t)
	s := r.connect(t)
	full := errors.New("the disk is full")
	if err := s.Run(t.Context(), audit.Options{}, nil, func(audit.Result) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	err := s.Run(ctx, audit.Options{}, func(audit.Key) {
		if count++; count == 3 {
			cancel()
		}
	}, func(audit.Result) error { return nil })
	if !errors.Is(err, context.Canceled) || count != 3 {
		t.Error(err, count)
	}
}

// TestLogin: the login of the credential probe is sent once, bare, without retries, and only if it is
// wanted.
// Rows of docs/platform.md: T5.2.
func TestLogin(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		w := clean()
		w.options.CredentialProbe = wanted
		w.answers("/api/me", 503, `{"message":"busy"}`)
		r := w.start(t)
		r.client.Retry = &platform.RetryPolicy{}
		results := r.run(t)
		logins := 0
		for _, request := range r.Requests() {
			if name, password, ok := basic(request.Header); ok {
				logins++
				if name != "admin" || password != "district" || len(request.Header["Cookie"]) > 0 {
					t.Error(request)
				}
			}
		}
		o := control(t, results, "credential-probe-default")
		if (logins == 1) != wanted || o.Status != audit.Skipped {
			t.Errorf("%d logins, %+v", logins, o)
		}
		if !wanted && (results[6].Status != audit.StatusSkipped || !strings.Contains(o.Note, "turned off")) {
			t.Errorf("%+v", results[6])
		}
		if wanted && !strings.Contains(results[6].Note, "failed login of admin") {
			t.Errorf("no word of the lockout: %q", results[6].Note)
		}
	}
}

// TestSecretsStayOut: what a hostile or careless server puts into its answers beside what is judged is
// nowhere in results.
// Rows of docs/platform.md: T5.2.
func TestSecretsStayOut(t *testing.T) {
	w := clean()
	w.Settings["keyEmailPassword"] = "planted-1"
	w.World.Providers = []object{{"id": "idp", "url": "https://u:planted-2@idp.example/?k=planted-3"}}
	route("auth", object{"type": "api-token", "token": "planted-4"}, "url", "https://u:planted-5@lab.example/x?key=planted-6", "headers", object{"X-Key": "planted-7"})(w)
	oauth2Client("clientSecret", "planted-8", "redirectUris", "http://a:planted-9@b.example/*?x=planted-10")(w)
	token("key", "planted-11")(w)
	chief("password", "planted-12")(w)
	w.conf = "encryption.password = planted-13\naudit.logger = off"
	text, err := json.Marshal(w.start(t).run(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 13 {
		if planted := fmt.Sprintf("planted-%d", i+1); strings.Contains(string(text), planted) {
			t.Errorf("%s is in the results", planted)
		}
	}
}
