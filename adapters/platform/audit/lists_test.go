package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// count returns the requests of a path.
func (r *running) count(path string) (n int) {
	for _, request := range r.Requests() {
		if request.Path == path {
			n++
		}
	}
	return n
}

// only audits one check.
func (w *world) only(t *testing.T, key audit.Key) (*running, audit.Result) {
	t.Helper()
	w.options.Checks = []audit.Key{key}
	r := w.start(t)
	return r, r.run(t)[0]
}

// TestSharingPages: objects are read in pages of 200, up to the limit of objects.
func TestSharingPages(t *testing.T) {
	for _, test := range []struct {
		limit, pages, flagged int
		exhausted             bool
	}{{0, 3, 451, false}, {455, 3, 451, false}, {454, 3, 451, true}, {300, 2, 297, true}, {200, 1, 197, true}} { // three others are in the clean world
		w := clean()
		w.options.MaxObjects = test.limit
		for i := range 451 {
			w.add("dashboards", object{"id": fmt.Sprintf("Dsh%08d", i+20), "name": "D", "sharing": object{"external": false, "public": "rw------"}})
		}
		r, result := w.only(t, audit.CheckSharing)
		if n := r.count("/api/dashboards"); n != test.pages || len(result.Findings) != test.flagged || strings.Contains(result.Note, "ONLY THE FIRST") != test.exhausted {
			t.Errorf("%+v: %d pages, %d findings, %q", test, n, len(result.Findings), result.Note)
		}
		for _, request := range r.Requests() {
			if request.Path == "/api/dashboards" && (request.Query.Get("pageSize") != "200" || request.Query.Get("fields") != "id,name,code,sharing") {
				t.Error(request.Query)
			}
		}
	}
	// Pages that never end, because the server repeats the last one.
	w := clean()
	w.answers("/api/dashboards", 200, `{"pager":{"page":1},"dashboards":[`+strings.Repeat(`{"id":"a"},`, 199)+`{"id":"a"}]}`)
	if r, result := w.only(t, audit.CheckSharing); r.count("/api/dashboards") != 2 || result.Status != audit.StatusOK {
		t.Errorf("%d requests, %s", r.count("/api/dashboards"), result.Status)
	}
}

// TestTwoFactor: what becomes of the control where the summary cannot be read, and the names of superusers
// in pages. Platform versions, V8.
func TestTwoFactor(t *testing.T) {
	for name, test := range map[string]struct {
		fault platformtest.Fault
		want  string
	}{
		"404":         {platformtest.Fault{Status: 404}, "(404), which exists from 2.43.1"},
		"403":         {platformtest.Fault{Status: 403}, "only superusers may read"},
		"500":         {platformtest.Fault{Status: 500}, "could not be read"},
		"no number":   {platformtest.Fault{Status: 200, Body: `{"privileged":{}}`}, "does not have the expected form"},
		"a bad count": {platformtest.Fault{Status: 200, Body: `{"privileged":{"withAllAuthorityMissing2FA":-1}}`}, "does not have the expected form"},
	} {
		w := clean()
		w.fault("/api/users/twoFactor/summary", test.fault)
		w.options.TwoFactorDetail = true
		r, result := w.only(t, audit.CheckHygiene)
		if o := control(t, []audit.Result{result}, "hygiene-2fa-superuser"); o.Status != audit.Skipped || !strings.Contains(o.Note, test.want) || result.Status != audit.StatusOK || r.count("/api/users/twoFactor") != 0 {
			t.Errorf("%s: %+v", name, o)
		}
	}
	missing := func(w *world) {
		w.options.TwoFactorDetail = true
		w.answers("/api/users/twoFactor/summary", 200, `{"privileged":{"withAllAuthorityMissing2FA":2}}`)
	}
	w := clean()
	missing(w)
	w.fault("/api/users/twoFactor", platformtest.Fault{HTML: true})
	if _, result := w.only(t, audit.CheckHygiene); !strings.Contains(result.Note, "names of superusers") || control(t, []audit.Result{result}, "hygiene-2fa-superuser").Severity != audit.Critical {
		t.Errorf("%+v", result)
	}
	w = clean()
	missing(w)
	full := strings.Repeat(`{"username":"chief"},`, 499) + `{"username":"nobody"}`
	w.answers("/api/users/twoFactor", 200, `{"users":[`+full+`]}`) // the same page again and again
	r, result := w.only(t, audit.CheckHygiene)
	if n := r.count("/api/users/twoFactor"); n != 2 || result.Findings[0].Subject != "chief" || !strings.Contains(result.Note, "only 1 of them") {
		t.Errorf("%d requests: %+v", n, result)
	}
	w = clean()
	missing(w)
	w.answers("/api/users/twoFactor", 200, `{"pager":{"page":1,"pageCount":1,"total":1},"users":[{"username":"chief"}]}`)
	if r, _ := w.only(t, audit.CheckHygiene); r.count("/api/users/twoFactor") != 1 {
		t.Error("more pages than there are")
	}
	w = clean()
	missing(w)
	w.options.TwoFactorDetail = false
	if r, _ := w.only(t, audit.CheckHygiene); r.count("/api/users/twoFactor") != 0 {
		t.Error("names that nobody asked for")
	}
	w = clean()
	missing(w)
	w.answers("/api/users/twoFactor/summary", 200, `{"privileged":{"withAllAuthorityMissing2FA":0}}`)
	if r, _ := w.only(t, audit.CheckHygiene); r.count("/api/users/twoFactor") != 0 {
		t.Error("names of none")
	}
	w = clean()
	both(func(w *world) { w.Major = 41 }, version("2.41.9"), missing)(w)
	if r, _ := w.only(t, audit.CheckHygiene); r.count("/api/users/twoFactor")+r.count("/api/users/twoFactor/summary") != 0 {
		t.Error("41 has no such path")
	}
}

// TestGuestRedirects: only a redirect to the login page is one.
func TestGuestRedirects(t *testing.T) {
	for status, want := range map[int]audit.OutcomeStatus{299: audit.Skipped, 300: audit.Pass, 399: audit.Pass, 400: audit.Skipped} {
		w := clean()
		w.fault("/api/me", platformtest.Fault{Status: status, Header: map[string][]string{"Location": {"/dhis-web-login/"}}})
		_, result := w.only(t, audit.CheckGuest)
		if o := control(t, []audit.Result{result}, "guest-anonymous-readable-endpoint"); o.Status != want {
			t.Errorf("%d: %+v", status, o)
		}
	}
}

// TestNestedDate: 41 has the date of a password one level deeper. A policy that trusts scripts is mentioned.
func TestNestedDate(t *testing.T) {
	w := clean()
	both(func(w *world) { w.Major = 41 }, version("2.41.8.2"))(w)
	_, result := w.only(t, audit.CheckHygiene)
	if o := control(t, []audit.Result{result}, "hygiene-agg-stale-password"); o.Status != audit.Pass {
		t.Error(o)
	}
	w = clean()
	header("Content-Security-Policy", "script-src 'strict-dynamic'")(w)
	if _, result := w.only(t, audit.CheckTransport); !strings.Contains(result.Note, "'strict-dynamic'") {
		t.Error(result.Note)
	}
}

// TestShapes: records of other forms degrade a check rather than pass it.
func TestShapes(t *testing.T) {
	for body, want := range map[string]audit.CheckStatus{
		`{"userRoles":[{"id":"a","name":"x","authorities":["ALL"],"users":[{"id":"b"}]}]}`: audit.StatusOK,
		`{"userRoles":[{"id":"a","name":"x","authorities":["ALL"]}]}`:                      audit.StatusDegraded,
		`{"userRoles":[{"id":"a","name":"x","users":1}]}`:                                  audit.StatusDegraded,
		`{"userRoles":[{"id":"a","authorities":["ALL"],"users":"many"}]}`:                  audit.StatusDegraded,
		`{"userRoles":[{"id":"a","authorities":["ALL"],"users":null}]}`:                    audit.StatusDegraded,
		`{"userRoles":[7]}`:    audit.StatusDegraded,
		`{"userRoles":[]}`:     audit.StatusOK,
		`{"userRoles":null}`:   audit.StatusDegraded,
		`{"otherRoles":[]}`:    audit.StatusDegraded,
		`[]`:                   audit.StatusDegraded,
		`{"userRoles":[null]}`: audit.StatusDegraded,
	} {
		w := clean()
		w.answers("/api/userRoles", 200, body)
		if _, result := w.only(t, audit.CheckRoles); result.Status != want {
			t.Errorf("%s: %s %s", body, result.Status, result.Note)
		}
	}
	for _, body := range []string{`{"userRoles":[{"id":"a"}]}`, `{"userRoles":[{"authorities":["ALL"]}]}`} {
		w := clean()
		w.answers("/api/userRoles", 200, body)
		if _, result := w.only(t, audit.CheckHygiene); result.Status != audit.StatusDegraded {
			t.Errorf("%s: %s %s", body, result.Status, result.Note)
		}
	}
	for body, want := range map[string]string{
		`{"name":"N","displayName":"D"}`: "N", `{"name":1,"displayName":"D","id":"I"}`: "D", `{"name":"","id":"I"}`: "I", `{}`: "", "null": "",
	} {
		w := clean()
		w.answers("/api/configuration/selfRegistrationRole", 200, body)
		_, result := w.only(t, audit.CheckGuest)
		i := slices.IndexFunc(result.Findings, func(f audit.Finding) bool { return f.Control == "guest-self-registration-enabled" })
		if want == "" && i >= 0 || want != "" && (i < 0 || result.Findings[i].Subject != want) {
			t.Errorf("%s: %+v", body, result.Findings)
		}
	}
	for body, want := range map[string]audit.CheckStatus{
		`{"users":[{}]}`: audit.StatusDegraded, `{"users":[{"id":"a","disabled":"no"}]}`: audit.StatusDegraded, `{"users":[{"id":"a"}]}`: audit.StatusOK,
	} {
		w := clean()
		w.answers("/api/users", 200, body)
		if _, result := w.only(t, audit.CheckHygiene); result.Status != want {
			t.Errorf("%s: %s %s", body, result.Status, result.Note)
		}
	}
}

// TestConfigFile: a file that cannot be read degrades the check; nothing is requested for it.
func TestConfigFile(t *testing.T) {
	for conf, want := range map[string]string{"no configuration": "no line like key = value", "a = b": ""} {
		w := clean()
		w.conf = conf
		r, result := w.only(t, audit.CheckAuditConfig)
		if (result.Status == audit.StatusDegraded) != (want != "") || !strings.Contains(result.Note, want) || len(r.Requests()) != 2 {
			t.Errorf("%q: %+v", conf, result)
		}
	}
	w := clean()
	w.conf, w.options.ServerConfig, w.options.Checks = "", t.TempDir()+"/missing", []audit.Key{audit.CheckAuditConfig}
	if result := w.start(t).run(t)[0]; result.Status != audit.StatusDegraded || !strings.Contains(result.Note, "no such file") {
		t.Errorf("%+v", result)
	}
}

// TestAnswersAreBounded: a response without login is at most 1 MiB, and evidence is short.
func TestAnswersAreBounded(t *testing.T) {
	w := clean()
	w.answers("/api/me", 200, `{"id":"`+strings.Repeat("x", 1<<20)+`"}`)
	if _, result := w.only(t, audit.CheckCredentialProbe); result.Status != audit.StatusDegraded || !strings.Contains(result.Note, "longer than the limit") {
		t.Errorf("%+v", result)
	}
	w = clean()
	w.Headers.Set("Content-Security-Policy", "script-src "+strings.Repeat("x", 5000))
	_, result := w.only(t, audit.CheckTransport)
	for _, f := range result.Findings {
		for _, text := range f.Evidence {
			if len(text) > 1100 {
				t.Errorf("evidence of %d bytes", len(text))
			}
		}
	}
	if control(t, []audit.Result{result}, "transport-weak-csp").Status != audit.Flagged || w.Headers.Get("Server") == "" {
		t.Error(w.Headers)
	}
}
