package audit_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// TestGuard: GET of listed paths of one platform, and nothing else. The first veto stays.
// Rows of docs/platform.md: 2.6.3, T5.2.
func TestGuard(t *testing.T) {
	for _, test := range []struct {
		method, url, body string
		allowed           bool
	}{
		{"GET", "https://p.example/ctx/", "", true},
		{"GET", "https://p.example/ctx/api/me?fields=id", "", true},
		{"GET", "https://P.example/ctx/api/me", "", true},
		{"GET", "https://p.example/ctx", "", false},
		{"GET", "https://p.example/", "", false},
		{"GET", "https://p.example/api/me", "", false},
		{"HEAD", "https://p.example/ctx/api/me", "", false},
		{"POST", "https://p.example/ctx/api/me", "", false},
		{"OPTIONS", "https://p.example/ctx/api/me", "", false},
		{"DELETE", "https://p.example/ctx/api/me", "", false},
		{"get", "https://p.example/ctx/api/me", "", false},
		{"GET", "https://p.example/ctx/api/me", "x", false},
		{"GET", "https://p.example/ctx/api/me", "a stream", false},
		{"GET", "http://p.example/ctx/api/me", "", false},
		{"GET", "https://q.example/ctx/api/me", "", false},
		{"GET", "https://p.example:444/ctx/api/me", "", false},
		{"GET", "https://p.example/ctx/api/me/", "", false},
		{"GET", "https://p.example/ctx/api/users/Usr00000001", "", false},
		{"GET", "https://p.example/ctx/api/routes/Rte00000001/run", "", false},
		{"GET", "https://p.example/ctx/api/../api/me", "", false},
		{"GET", "https://p.example/ctx/api%2fme", "", false},
		{"GET", "https://p.example/ctx/%61pi/me", "", false},
		{"GET", "https://p.example/ctx//api/me", "", false},
		{"GET", "https://p.example/ctxapi/me", "", false},
		{"GET", "https://p.example/ctx/API/me", "", false},
		{"GET", "https://p.example/ctx/api/dataValueSets", "", false},
		{"GET", "https://p.example/ctx/api/tracker/events", "", false},
	} {
		sent := 0
		guard, err := audit.NewGuard(roundTripper(func(*http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}), "https://p.example/ctx/")
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequest(test.method, test.url, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if test.body == "a stream" {
			request.ContentLength = 0 // unknown
		}
		_, err = guard.RoundTrip(request)
		var veto *audit.Veto
		if (err == nil) != test.allowed || (sent == 1) != test.allowed || (guard.Err() == nil) != test.allowed || !test.allowed && (!errors.As(err, &veto) || !errors.Is(err, platform.ErrVetoed)) {
			t.Errorf("%+v: %v", test, err)
		}
		if test.allowed {
			continue
		}
		request, _ = http.NewRequest(http.MethodGet, "https://p.example/ctx/api/me", nil)
		if _, again := guard.RoundTrip(request); again == nil || sent != 0 {
			t.Errorf("%+v: a request was sent after the veto", test)
		}
		request, _ = http.NewRequest(http.MethodPut, "https://p.example/ctx/api/metadata", nil)
		if _, again := guard.RoundTrip(request); !errors.Is(again, err) || guard.Err() != err { //nolint:errorlint // the very same
			t.Errorf("%+v: the first veto is forgotten: %v", test, again)
		}
	}
	for _, bad := range []string{"", "x", "://"} {
		if _, err := audit.NewGuard(nil, bad); err == nil {
			t.Errorf("%q has a guard", bad)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAddress: the canonical address is found with permitted requests only, and kept where the platform
// does not answer at the landing address.
// Rows of docs/platform.md: T5.2.
func TestAddress(t *testing.T) {
	for name, test := range map[string]struct {
		context, given, root, want string
	}{
		"login page of 42":  {"", "", "/dhis-web-login/", ""},
		"login page of 41":  {"", "", "/dhis-web-commons/security/login.action", ""},
		"login page of 43":  {"/ctx", "/ctx", "/login/", "/ctx"},
		"an app":            {"/ctx", "/ctx", "/apps/dashboard/", "/ctx"},
		"a start page":      {"", "", "/login.html", ""},
		"another page":      {"", "", "/index.html", ""},
		"the context":       {"/ctx", "", "", "/ctx"},
		"a portal":          {"", "", "/portal/start", ""},
		"another server":    {"", "", "https://other.invalid/", ""},
		"another protocol":  {"", "", "ftp://other.invalid/", ""},
		"no address at all": {"", "", "http://%zz/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := clean()
			w.ContextPath, w.Root = test.context, test.root
			r := w.start(t)
			address := strings.TrimSuffix(r.URL, test.context)
			r.URL = address + test.given
			if s := r.connect(t); s.BaseURL() != address+test.want || s.PlatformVersion() != "2.42.6" || s.Major() != 42 {
				t.Errorf("%s %s %s", s.BaseURL(), s.PlatformVersion(), s.Major())
			}
			for _, request := range r.Requests() {
				path := request.Path
				if path == "/portal/start/api/system/info" { // is the platform there?
					continue
				}
				if !slices.Contains(audit.Permitted(), path) {
					t.Errorf("%s was sent", path)
				}
			}
			for _, request := range r.Requests()[:1] {
				if request.Header.Get("Authorization") != "" {
					t.Error("credentials were sent to find the address")
				}
			}
		})
	}
}

// TestUpgrade: a redirect from http to https is followed, one back is not, and no credentials are sent on
// the way.
// Rows of docs/platform.md: T5.2.
func TestUpgrade(t *testing.T) {
	secure := clean().start(t)
	address := secure.URL
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent in plain text")
		}
		http.Redirect(w, r, address+r.URL.Path, http.StatusMovedPermanently)
	}))
	defer open.Close()
	secure.URL = open.URL
	if s := secure.connect(t); s.BaseURL() != address {
		t.Error(s.BaseURL())
	}
}

// TestFallback: which versions are audited, and as what.
// Rows of docs/platform.md: T5.6.
func TestFallback(t *testing.T) {
	for version, want := range map[string]platform.Major{"2.40.3": 41, "2.41.0": 41, "2.42.4-SNAPSHOT": 42, "2.44.1": 43, "unknown": 43} {
		w := clean()
		w.Version = version
		r := w.start(t)
		s := r.connect(t)
		if s.Major() != want {
			t.Errorf("%s: %s", version, s.Major())
		}
		_, err := audit.Connect(t.Context(), audit.Target{BaseURL: r.URL, Provider: auth.NewPAT(auth.NewSecret(chiefPAT)), Client: r.client})
		var unsupported *platform.UnsupportedVersionError
		if errors.As(err, &unsupported) == (version[:4] == "2.41" || version[:4] == "2.42") {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// TestConnectFails: errors of the platform are returned as they are.
func TestConnectFails(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"authentication failed": func(w *world) { w.pat = "d2pat_wrong" },
		"API error (500)":       broken("/api/system/info"),
		"not JSON":              func(w *world) { w.fault("/api/system/info", platformtest.Fault{HTML: true}) },
		"cannot be reached":     nil,
		"is not the system":     func(w *world) { w.answers("/api/system/info", 200, "[]") },
	} {
		w := clean()
		if change != nil {
			change(w)
		}
		r := w.start(t)
		if change == nil {
			r.Fault("/*", platformtest.Fault{Drop: true})
		}
		_, err := audit.Connect(t.Context(), audit.Target{BaseURL: r.URL, Provider: auth.NewPAT(auth.NewSecret(w.pat)), Client: r.client})
		if err == nil || change != nil && !strings.Contains(err.Error(), name) || change == nil && !errors.Is(err, platform.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, want := auth.CleanBaseURL("x")
	if _, err := audit.Connect(t.Context(), audit.Target{BaseURL: "x"}); err == nil || err.Error() != want.Error() {
		t.Errorf("x is an address: %v", err)
	}
}

// TestFeed: the list of releases is requested once an hour, and a bad one is not kept.
// Rows of docs/platform.md: T5.2, T5.4.
func TestFeed(t *testing.T) {
	requests, body, status := 0, "<html>", 200
	at := time.Now()
	feed := audit.Feed{Folder: filepath.Join(t.TempDir(), "cache"), Now: func() time.Time { return at }, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		requests++
		if r.URL.String() != audit.FeedURL || r.Method != http.MethodGet || r.Header.Get("Authorization") != "" {
			t.Error(r.Method, r.URL)
		}
		recorder := httptest.NewRecorder()
		recorder.WriteHeader(status)
		_, _ = recorder.WriteString(body)
		return recorder.Result(), nil
	})}
	read := func(want int, failed bool) {
		t.Helper()
		text, err := feed.Read(t.Context())
		if requests != want || (err != nil) != failed || !failed && string(text) != body {
			t.Errorf("%d requests, %v: %s", requests, err, text)
		}
	}
	read(1, false)
	body = cleanFeed
	read(2, false)
	read(2, false)
	at = at.Add(61 * time.Minute)
	read(3, false)
	at = at.Add(-3 * time.Hour) // the clock was wrong
	read(4, false)
	at = time.Now()
	if err := os.WriteFile(filepath.Join(feed.Folder, "releases.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	read(5, false)
	feed.Folder = ""
	status = 302
	read(6, true)
	status, body = 200, strings.Repeat(" ", 1<<20+1)
	read(7, true)
}

// TestProbesEnd: a request without login, or with the default login, ends after 15 seconds, and says
// nothing about the control.
func TestProbesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := roundTripper(func(r *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			switch scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); {
			case r.URL.Path == "/":
			case scheme != "ApiToken":
				<-r.Context().Done()
				return nil, r.Context().Err()
			default:
				recorder.Header().Set("Content-Type", "application/json")
				_, _ = recorder.WriteString(`{"version":"2.42.6"}`)
			}
			return recorder.Result(), nil
		})
		s, err := audit.Connect(t.Context(), audit.Target{
			BaseURL: "https://p.example", Provider: auth.NewPAT(auth.NewSecret(chiefPAT)), Client: platform.Options{Transport: silent},
		})
		if err != nil {
			t.Fatal(err)
		}
		for check, want := range map[audit.Key]time.Duration{audit.CheckGuest: 45 * time.Second, audit.CheckCredentialProbe: 15 * time.Second} {
			begin := time.Now()
			err = s.Run(t.Context(), audit.Options{Checks: []audit.Key{check}, CredentialProbe: true}, nil, func(result audit.Result) error {
				if o := result.Controls[0]; o.Status != audit.Skipped || o.Note == "" {
					t.Errorf("%+v", o)
				}
				return nil
			})
			if took := time.Since(begin); err != nil || took != want {
				t.Errorf("%s: %v after %v", check, err, took)
			}
		}
	})
}
