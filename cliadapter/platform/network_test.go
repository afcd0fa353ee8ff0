package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
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
	"unicode"

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

// roget api sends any request with the credentials of the profile.
// Rows of docs/platform.md: T3.4.
func TestAPI(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		for _, path := range []string{"me", "/api/me", "api/me"} {
			var me struct{ Username string }
			out := p.must(t, "api", "GET", path, "--query", "fields=username")
			if err := json.Unmarshal([]byte(out), &me); err != nil || me.Username != platformtest.Username {
				t.Errorf("%s: %s %v", path, out, err)
			}
		}
		out := p.must(t, "api", "get", "/api/dataElements?fields=id", "-q", "pageSize=1", "-q", "filter=id:eq:Del00000001")
		query, _ := p.last("/api/dataElements")
		if !strings.Contains(out, "Del00000001") || query.Get("fields") != "id" || query.Get("pageSize") != "1" {
			t.Errorf("%v: %s", query, out)
		}
		p.input = `{"a": [1, 2]}`
		p.must(t, "api", "POST", "dataStore/api/key", "--input", "-")
		if got := string(p.Value("", "api", "key")); got != `{"a": [1, 2]}` {
			t.Errorf("stored %s", got)
		}
		p.must(t, "api", "PUT", "dataStore/api/key", "--input", writtenFile(t, t.TempDir(), "v.json", "7"))
		if got := string(p.Value("", "api", "key")); got != "7" {
			t.Errorf("stored %s", got)
		}
		if out := p.must(t, "api", "GET", "dataStore/api/key", "--include"); !strings.HasPrefix(out, "HTTP 200 OK\n") || !strings.HasSuffix(out, "\n\n7") {
			t.Errorf("with headers: %q", out)
		}
		code, out, errs := p.run(t, "api", "GET", "dataStore/none/key")
		if code != 1 || !json.Valid([]byte(out)) || !strings.Contains(errs, "api: GET /api/dataStore/none/key: the status is 404 Not Found") {
			t.Errorf("404: %d %s%s", code, out, errs)
		}
		before := len(p.Requests())
		for _, line := range []string{"api GET", "api FETCH me", "api GET https://other.example/api/me", "api GET //other.example/me", "api GET me --input x", "api GET me -q x", "api GET me?a=%zz", "api GET me#x"} {
			p.fails(t, 2, strings.Fields(line)...)
		}
		for _, line := range []string{"api GET /api/../me", "api POST me --input none.json"} {
			p.fails(t, 1, strings.Fields(line)...)
		}
		for _, r := range p.Requests()[before:] {
			if strings.HasPrefix(r.Path, "/api/") && r.Path != "/api/system/info" {
				t.Errorf("sent %s %s", r.Method, r.Path)
			}
		}
	})
}

// TestNothingObeysTheTerminal: what a server says reaches a terminal without control
// characters, in tables, in JSON and in errors, and nothing turns the direction of text.
func TestNothingObeysTheTerminal(t *testing.T) {
	const evil = "a\x1b[31mb\u009b31mc\u0085d\x7fe\u202ef\u2066g\u2028h"
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	raw := strings.ReplaceAll(strings.ReplaceAll(string(quoted), `\u2028`, "\u2028"), `\u007f`, "\x7f")
	p := newOnPlatform(t, 42)
	p.Fault("/api/dataStore", platformtest.Fault{Status: 200, Body: "[" + raw + "]"})
	p.Fault("/api/dataStore/n/k", platformtest.Fault{Status: 200, Body: raw})
	p.Fault("/api/dataStore/n/e", platformtest.Fault{Status: 409, Body: `{"message":` + raw + `}`})
	for _, line := range []string{"list", "list --json", "get n k", "get n e"} {
		_, out, errs := p.run(t, append([]string{"datastore"}, strings.Fields(line)...)...)
		if at := strings.IndexFunc(out+errs, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); at >= 0 {
			t.Errorf("%s: %q", line, out+errs)
		}
		if !strings.HasPrefix(line, "list --json") && !strings.HasPrefix(line, "get n k") {
			if strings.ContainsAny(out+errs, "\u202e\u2066\u2028") {
				t.Errorf("%s: %q", line, out+errs)
			}
			continue
		}
		var back any
		if err := json.Unmarshal([]byte(out), &back); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if list, ok := back.([]any); ok {
			back = list[0]
		}
		if back != evil {
			t.Errorf("%s: %q", line, back)
		}
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

// Write fails.
func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestAnswersThatDoNotArrive: an answer that cannot be written is a failure, help included.
func TestAnswersThatDoNotArrive(t *testing.T) {
	c := cliadapter.New(cliadapter.Config{Getenv: func(string) string { return "" }, Platform: cliadapter.Platform{Home: t.TempDir(), Folder: t.TempDir()}})
	for _, line := range []string{"--help", "profile --help", "profile list --help", "profile list --json", "version"} {
		var errs bytes.Buffer
		code := c.Run(t.Context(), strings.Fields(line), cliadapter.Streams{Out: fullDisk{}, Err: &errs})
		if code == 0 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: %d, %s", line, code, errs.String())
		}
	}
}

// TestAnswersOfRoutesOnATerminal: the response of another server is printed unchanged, except on a
// terminal.
func TestAnswersOfRoutesOnATerminal(t *testing.T) {
	p := newOnPlatform(t, 42)
	p.Fault("/api/routes/Rte00000001/run/x", platformtest.Fault{Status: 200, Body: "a\x1b[31mb\nc"})
	environment := map[string]string{"PLATFORM_URL": p.URL, "PLATFORM_PAT": platformtest.PAT}
	c := cliadapter.New(cliadapter.Config{
		Getenv: func(name string) string { return environment[name] }, Platform: cliadapter.Platform{Home: p.home, Folder: p.folder()},
	})
	for terminal, want := range map[bool]string{false: "a\x1b[31mb\nc", true: "a [31mb\nc\n"} {
		var out, errs bytes.Buffer
		c.Run(t.Context(), []string{"route", "run", "lab", "--path", "x"}, cliadapter.Streams{Out: &out, Err: &errs, OutTerminal: terminal})
		if out.String() != want {
			t.Errorf("%v: %q, %s", terminal, out.String(), errs.String())
		}
	}
}
