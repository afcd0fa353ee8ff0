package platform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/cliadapter"
)

// onPlatform runs commands against a double of the platform, with a home folder and an
// environment of its own. Its default profile is prod, with the personal access token of
// platformtest.Username.
type onPlatform struct {
	*platformtest.Platform
	major  int
	home   string            // of the user; the folder of the project is below it, work
	env    map[string]string // environment variables
	input  string            // standard input
	typed  []string          // what is typed where nothing is shown; with it, or terminal, there is a terminal
	reveal bool              // the next command may print secrets
	full   error             // of the first write to standard output

	terminal  bool
	waited    []time.Duration // pauses before requests that were sent again
	transport http.RoundTripper
	browser   func(ctx context.Context, url string) error
	onNotice  func(text string) // sees what is written to standard error, as it is
}

// notices is standard error.
type notices struct {
	bytes.Buffer
	seen func(text string)
	full error
}

// Write keeps text, and shows it on the way.
func (n *notices) Write(text []byte) (int, error) {
	if err := n.full; err != nil {
		n.full = nil
		return 0, err
	}
	if n.seen != nil {
		n.seen(string(text))
	}
	return n.Buffer.Write(text)
}

// forMajors runs a test against the double as every major. What options are to be other
// than the default, change says.
func forMajors(t *testing.T, test func(t *testing.T, p *onPlatform), change ...func(o *platformtest.Options)) {
	t.Helper()
	for _, major := range []int{41, 42, 43} {
		t.Run(fmt.Sprintf("v%d", major), func(t *testing.T) {
			test(t, newOnPlatform(t, major, change...))
		})
	}
}

func newOnPlatform(t *testing.T, major int, change ...func(o *platformtest.Options)) *onPlatform {
	t.Helper()
	o := platformtest.Options{Major: major}
	for _, apply := range change {
		apply(&o)
	}
	if major == 0 {
		if _, err := fmt.Sscanf(o.Version, "2.%d.", &major); err != nil {
			t.Fatal(err)
		}
	}
	p := &onPlatform{Platform: platformtest.New(t, o), major: major, home: t.TempDir(), env: map[string]string{}}
	registry := p.profiles(t)
	if _, err := registry.Add(t.Context(), profile.Global, "prod", profile.Profile{
		BaseURL: p.URL, Auth: profile.PAT, Token: auth.NewSecret(platformtest.PAT),
	}, true); err != nil {
		t.Fatal(err)
	}
	return p
}

// folder is the working directory of commands.
func (p *onPlatform) folder() string { return p.home + "/work" }

// profiles are those that commands use.
func (p *onPlatform) profiles(t *testing.T) *profile.Registry {
	t.Helper()
	registry, err := profile.Open(profile.Options{Getenv: func(name string) string { return p.env[name] }, Folder: p.folder(), Home: p.home})
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

// run runs a command line. That it prints no credential is checked, unless reveal is set.
func (p *onPlatform) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	stdout := notices{full: p.full}
	stderr := notices{seen: p.onNotice}
	c := cliadapter.New(cliadapter.Config{
		Version: cliadapter.Version{Version: "v1.2.3"},
		Getenv:  func(name string) string { return p.env[name] },
		Platform: cliadapter.Platform{
			Folder: p.folder(), Home: p.home, Cache: p.home + "/cache", Transport: p.transport,
			Wait: func(ctx context.Context, pause time.Duration) error {
				p.waited = append(p.waited, pause)
				return ctx.Err()
			},
			OpenBrowser: func(ctx context.Context, url string) error {
				if p.browser == nil {
					t.Errorf("%s: a browser is opened", strings.Join(args, " "))
					return errors.New("no browser")
				}
				return p.browser(ctx, url)
			},
		},
	})
	terminal := p.terminal || len(p.typed) > 0
	code = c.Run(t.Context(), args, cliadapter.Streams{
		In: strings.NewReader(p.input), Out: &stdout, Err: &stderr, InTerminal: terminal, ErrTerminal: p.terminal,
		ReadSecret: func(context.Context) ([]byte, error) {
			if len(p.typed) == 0 {
				return nil, errors.New("nothing is typed")
			}
			line := p.typed[0]
			p.typed = p.typed[1:]
			return []byte(line), nil
		},
	})
	if !p.reveal {
		for _, secret := range p.secrets() {
			if said := stdout.String() + stderr.String(); strings.Contains(said, secret) {
				t.Errorf("%s: a secret is printed:\n%s", strings.Join(args, " "), said)
			}
		}
	}
	p.reveal = false
	return code, stdout.String(), stderr.String()
}

// secrets are those that the platform and the environment have.
func (p *onPlatform) secrets() []string {
	list := []string{
		platformtest.PAT, platformtest.Password, platformtest.SessionCookie, platformtest.XSRFToken,
		platformtest.PlainPAT, platformtest.PlainPassword,
	}
	for name, value := range p.env {
		for _, end := range []string{"_PAT", "_PASSWORD", "_COOKIE", "_XSRF", "_SECRET", "_TOKEN", "_VALUE"} {
			if strings.HasSuffix(name, end) && value != "" {
				list = append(list, value)
			}
		}
	}
	return list
}

// scopeOf is the scope of logins to the platform.
func scopeOf(p *onPlatform) string {
	if p.Rules().UsernameScope {
		return "openid username"
	}
	return "ALL"
}

// must runs a command line that has to succeed, and returns its answer.
func (p *onPlatform) must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := p.run(t, args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d: %s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// fails runs a command line that must end with an exit code and without output, and returns its
// errors.
func (p *onPlatform) fails(t *testing.T, want int, args ...string) string {
	t.Helper()
	code, out, errs := p.run(t, args...)
	if code != want || out != "" {
		t.Errorf("%s: exit code %d, want %d: %s%s", strings.Join(args, " "), code, want, out, errs)
	}
	return errs
}

// writtenFile writes a file into a folder and returns its path.
func writtenFile(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func lastBody(p *onPlatform, method string) (body string) {
	for _, r := range p.Requests() {
		if r.Method == method {
			body = string(r.Body)
		}
	}
	return body
}

// written are the requests that changed something: "POST /api/users/invite".
func written(p *onPlatform) []string {
	var list []string
	for _, r := range p.Requests() {
		if r.Method != http.MethodGet {
			list = append(list, r.Method+" "+r.Path)
		}
	}
	return list
}

// has checks that a text has all parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// parsed reads the JSON that a command printed.
func parsed[T any](t *testing.T, doc string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	return v
}

// squeezed makes runs of spaces one.
func squeezed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return strings.Join(lines, "\n")
}
