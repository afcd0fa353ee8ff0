package platform_test

import (
	"context"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter"
)

// asked are the requests so far: "GET /api/me". They are forgotten.
func requested(p *onPlatform) (list []string) {
	for _, r := range p.Requests() {
		list = append(list, r.Method+" "+r.Path)
	}
	p.Forget()
	return list
}

// TestRetries: a GET of a command is sent again, with a line on a terminal; a write is not.
func TestRetries(t *testing.T) {
	p := newOnPlatform(t, 42)
	busy := platformtest.Fault{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"2"}}, Times: 2}
	p.Fault("/api/me", busy)
	if code, _, errs := p.run(t, "system", "whoami"); code != 0 || errs != "" || !slices.Equal(p.waited, []time.Duration{2 * time.Second, 2 * time.Second}) {
		t.Errorf("%d, %s, %v", code, errs, p.waited)
	}
	p.terminal = true
	p.Fault("/api/me", busy)
	if code, _, errs := p.run(t, "system", "whoami"); code != 0 || strings.Count(errs, "retrying in 2 s: 503 Service Unavailable\n") != 2 {
		t.Errorf("%d, %s", code, errs)
	}
	p.Fault("/api/me", platformtest.Fault{Drop: true, Times: 1})
	if code, _, errs := p.run(t, "system", "whoami"); code != 0 || !strings.HasPrefix(errs, "retrying in 0.") || !strings.Contains(errs, "cannot reach") {
		t.Errorf("%d, %s", code, errs)
	}
	p.waited = nil
	p.Fault("/api/dataStore/ns1/k9", platformtest.Fault{Method: http.MethodPost, Status: http.StatusServiceUnavailable, Times: 1})
	p.Fault("/api/dataStore/ns1/k1", platformtest.Fault{Method: http.MethodPut, Status: http.StatusServiceUnavailable, Times: 1})
	for _, key := range []string{"k9", "k1"} {
		has(t, p.fails(t, 1, "datastore", "set", "ns1", key, "1"), "API error (503)")
	}
	if len(p.waited) != 0 {
		t.Errorf("a write is sent again: %v", p.waited)
	}
}

// TestTimeout: --timeout limits the wait for the platform.
func TestTimeout(t *testing.T) {
	p := newOnPlatform(t, 42)
	never := make(chan struct{})
	defer close(never)
	p.must(t, "system", "whoami", "--timeout", "20s")
	p.Fault("/api/me", platformtest.Fault{Wait: never})
	has(t, p.fails(t, 1, "system", "--timeout", "50ms", "whoami"), "cannot reach")
	for _, wrong := range []string{"soon", "0", "-1s"} {
		has(t, p.fails(t, 2, "system", "whoami", "--timeout="+wrong), "flag --timeout must be a duration such as 30s or 2m")
	}
}

// TestCAFile: --ca-file makes the certificates in a file trusted; what is wrong with the file names it.
func TestCAFile(t *testing.T) {
	double := platformtest.Unstarted(platformtest.Options{})
	server := httptest.NewUnstartedServer(double.Handler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_PAT"] = platformtest.PAT
	p.must(t, "profile", "add", "tls", "--url", server.URL, "--from-env")
	folder := t.TempDir()
	good := writtenFile(t, folder, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	has(t, p.must(t, "-p", "tls", "system", "whoami", "--ca-file", good), "admin")
	has(t, p.fails(t, 1, "-p", "tls", "system", "info", "--timeout", "5s"), "certificate")
	empty := writtenFile(t, folder, "empty.pem", "no certificate")
	has(t, p.fails(t, 1, "-p", "tls", "system", "whoami", "--ca-file", empty), "--ca-file: "+empty+" has no certificate")
	has(t, p.fails(t, 1, "-p", "tls", "system", "whoami", "--ca-file", folder+"/none.pem"), "--ca-file: ", folder+"/none.pem")
}

// TestConnectionCache: address and version of a platform are cached from command to command, in a file without secrets that
// only the user can read, until something fails.
func TestConnectionCache(t *testing.T) {
	p := newOnPlatform(t, 42, func(o *platformtest.Options) { o.ContextPath = "/ctx" })
	path := filepath.Join(p.home, "cache", "platform", "connections.json")
	first, later := []string{"GET /", "GET /dhis-web-login/", "GET /api/system/info", "GET /api/dataStore"}, []string{"GET /api/dataStore"}
	list := func(want []string) {
		t.Helper()
		p.must(t, "datastore", "namespaces")
		if got := requested(p); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	list(first)
	list(later)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"2.42.4"`) || strings.Contains(string(text), platformtest.PAT) {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	p.must(t, "profile", "verify") // asks again
	if got := requested(p); !slices.Contains(got, "GET /") {
		t.Errorf("%q", got)
	}
	p.Fault("/api/dataStore", platformtest.Fault{Status: http.StatusInternalServerError, Times: 1})
	p.fails(t, 1, "datastore", "namespaces")
	p.Forget()
	list(first)
	p.env["PLATFORM_NO_CACHE"] = "1"
	list(first)
	delete(p.env, "PLATFORM_NO_CACHE")
	for name, wrong := range map[string]string{
		"another address": strings.ReplaceAll(string(text), `"canonical":"`+p.URL, `"canonical":"ftp://a.example`),
		"an old version":  strings.ReplaceAll(string(text), "2.42.4", "2.40.0"),
		"not JSON":        "{",
		"null":            "null",
		"too late":        `{"` + p.URL + `":{"canonical":"` + p.URL + `","version":"2.42.4","until":1}}`,
		"for ever":        `{"` + p.URL + `":{"canonical":"` + p.URL + `","version":"2.42.4","until":99999999999}}`,
	} {
		if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		list(first)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(path, 0o666); err != nil {
			t.Fatal(err)
		}
		list(first)
	}
}

// TestReadableProfiles: a file of profiles that others can read is warned about, once.
func TestReadableProfiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes")
	}
	p := newOnPlatform(t, 42)
	path := filepath.Join(p.home, ".config", "platform", "profiles.toml")
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o640: 1, 0o644: 1} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"system whoami", "profile verify"} {
			if _, _, errs := p.run(t, strings.Fields(command)...); strings.Count(errs, "warning: others can read "+path) != want || strings.Contains(errs, "chmod 600 "+path) != (want == 1) {
				t.Errorf("%v, %s: %s", mode, command, errs)
			}
		}
	}
}

// TestMissingXSRF: a session without an XSRF token learns why a write is refused.
func TestMissingXSRF(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_SESSION_COOKIE"] = platformtest.SessionCookie
	p.must(t, "profile", "add", "session", "--auth", "session", "--url", p.URL, "--from-env")
	has(t, p.fails(t, 1, "-p", "session", "datastore", "set", "ns1", "k", "1"), "API error (403)", "\nhint: ", "PLATFORM_SESSION_XSRF")
	p.env["PLATFORM_SESSION_XSRF"] = platformtest.XSRFToken
	p.must(t, "profile", "add", "session", "--auth", "session", "--url", p.URL, "--from-env")
	p.must(t, "-p", "session", "datastore", "set", "ns1", "k", "1")
}

// TestInterrupt: SIGINT, which cancels the context of the program, ends commands of the platform with 130.
func TestInterrupt(t *testing.T) {
	p := newOnPlatform(t, 42)
	never := make(chan struct{})
	defer close(never)
	p.Fault("/api/me", platformtest.Fault{Wait: never})
	for _, line := range []string{"system whoami", "profile verify", "profile add new --from-env --verify --strict --url " + p.URL} {
		ctx, cancel := context.WithCancel(t.Context())
		p.env["PLATFORM_PAT"] = platformtest.PAT
		var errs strings.Builder
		c := cliadapter.New(cliadapter.Config{
			Getenv:   func(name string) string { return p.env[name] },
			Platform: cliadapter.Platform{Folder: p.folder(), Home: p.home, Cache: t.TempDir()},
		})
		p.Forget()
		go func() {
			for !slices.ContainsFunc(p.Requests(), func(r platformtest.Request) bool { return r.Path == "/api/me" }) {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		if code := c.Run(ctx, strings.Fields(line), cliadapter.Streams{In: strings.NewReader(""), Out: &errs, Err: &errs}); code != 130 || !strings.Contains(errs.String(), ": interrupted") {
			t.Errorf("%s: exit code %d: %s", line, code, errs.String())
		}
	}
	if _, err := p.profiles(t).Find("new", ""); err == nil {
		t.Error("a profile that was not verified is stored")
	}
}

// TestStrict: --verify --strict stores a profile only if it works.
func TestStrict(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_PAT"] = "d2pat_wrong"
	add := []string{"profile", "add", "new", "--url", p.URL, "--from-env", "--verify"}
	code, out, errs := p.run(t, append(add, "--strict")...)
	if _, err := p.profiles(t).Find("new", ""); code != 1 || !strings.HasPrefix(out, "FAIL new ") || err == nil || !strings.Contains(errs, "not stored") {
		t.Errorf("%d, %s%s, %v", code, out, errs, err)
	}
	p.must(t, add...) // without --strict it is stored
	p.env["PLATFORM_PAT"] = platformtest.PAT
	has(t, p.must(t, append(add, "--strict")...), "OK new ")
	has(t, p.fails(t, 2, "profile", "add", "new", "--url", p.URL, "--from-env", "--strict"), "--strict goes with --verify")
}
