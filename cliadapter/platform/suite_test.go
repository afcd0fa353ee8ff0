package platform_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/platform"
)

// suite has a line for each command of the platform, in an order in which each finds what
// it is about. WORK stands for the folder with files, URL for the platform's address.
var suite = []string{
	"profile add second --url URL --auth pat --from-env --verify",
	"profile list", "profile show second", "profile verify second", "profile env second",
	"profile default second", "profile rename second third", "profile remove third --yes", "profile default prod",
	"profile login sso", "profile verify sso", "profile logout sso",
	"profile pat create --url URL --description suite --expires-in-days 30 --allowed-method GET",
	"profile oauth2 client register --url URL --client-id suite",
	"profile oauth2 client list",
	"profile bootstrap boot --url URL --no-login",
	"profile oidc-config URL --client-id suite --name discovered",
	"system whoami", "system info", "system settings list", "system settings set applicationTitle Suite",
	"system settings get applicationTitle", "system settings set-many WORK/settings.json", "system settings delete applicationTitle --yes",
	"security settings", "security authorities", "security audit --output-dir WORK/audits --skip version", "security report WORK/audit",
	"user list", "user get admin", "user invite eve@platform.example --first-name Eve --surname Example --username eve --role ROLE --org-unit UNIT",
	"user reinvite eve", "user reset-password eve --yes",
	"user group list", "user group get GROUP", "user group add-member GROUP eve", "user group remove-member GROUP eve",
	"user group sharing-grant-user GROUP eve --access r-------", "user group sharing-get GROUP",
	"user role list", "user role get ROLE", "user role authority-list", "user role add-user ROLE admin", "user role remove-user ROLE admin",
	"apps list", "apps hub-list", "apps hub-versions app-1", "apps add app-1", "apps add WORK/suite.zip", "apps reload", "apps hub-url --set https://hub.example", "apps hub-url", "apps remove suite --yes",
	"datastore set suite a/b 1", "datastore get suite a/b", "datastore list", "datastore keys suite", "datastore namespaces",
	"datastore delete suite a/b --yes", "datastore set suite c {} --user", "datastore delete-namespace suite --yes --user",
	"route create --code suite --name Suite --url http://suite.example/**", "route list", "route get suite", "route run suite --path results",
	"route patch suite WORK/patch.json", "route update suite WORK/route.json", "route delete suite --yes",
	"customize logo-front WORK/logo_front.png", "customize logo-banner WORK/logo_front.png", "customize style WORK/style.css", "customize apply WORK", "customize show",
	"schema dataElement", "metadata type list", "metadata list dataElements --count", "metadata get dataElements Del00000001",
	"api GET me",
	"dev codegen --url URL --output-dir WORK/catalogues",
}

// TestSuite runs every command of the platform, with --json, against the double as five releases of the majors 41, 42
// and 43: each succeeds, prints JSON and nothing else, and no secret. Platform client, sections 1 and 9: the same
// surface for each major.
// Rows of docs/platform.md: 9.1, T3.1, T7.1.
func TestSuite(t *testing.T) {
	program := &command.Program{
		Getenv: os.Getenv,
		Root: func(t *command.Tree) *cli.Command {
			return &cli.Command{Name: "roget", Subcommands: platform.Commands(t, platform.Config{}, "Platform")}
		},
	}
	tree := program.Tree(command.Streams{})
	var missing []string
	for _, cmd := range tree.Commands() {
		if tree.Details(cmd).Run != nil {
			missing = append(missing, tree.Path(cmd))
		}
	}
	for _, line := range suite {
		missing = slices.DeleteFunc(missing, func(path string) bool { return line == path || strings.HasPrefix(line, path+" ") })
	}
	if len(missing) > 0 {
		t.Errorf("the suite has no line for %v", missing)
	}
	onReleases(t, func(t *testing.T, p *onPlatform) {
		withOAuth2(t, p)
		p.must(t, "profile", "default", "prod")
		p.browser = signIn(t, "good")
		p.env["PLATFORM_PAT"], p.env["PLATFORM_ADMIN_PAT"] = platformtest.PAT, platformtest.PAT
		work := t.TempDir()
		words := suiteWords(t, work, p)
		for _, line := range suite {
			var args []string
			for _, word := range strings.Fields(line) {
				args = append(args, words.Replace(word))
			}
			p.reveal = line == "profile env second" || strings.HasPrefix(line, "profile pat create")
			code, out, errs := p.run(t, append(args, "--json")...)
			switch {
			case line == "user role authority-list" && p.major == 41: // where the platform answers 500
				if code != 1 || out != "" || !strings.Contains(errs, "API error (500)") {
					t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
				}
			case code != 0 || !json.Valid([]byte(out)):
				t.Errorf("%s: exit code %d: %s%s", line, code, out, errs)
			}
		}
		if p.major < 43 {
			return
		}
		for _, line := range append(suite, "api GET me --include") {
			p.full, p.reveal = errors.New("no space left"), true
			if code, out, errs := p.run(t, strings.Fields(words.Replace(line))...); code == 0 {
				t.Errorf("%s: without space: %s%s", line, out, errs)
			}
		}
	}, bearer, func(o *platformtest.Options) {
		o.Upstream = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]string{"path": r.URL.Path})
		})
	})
}

// partial are the lines that print what is answered or done before.
var partial = regexp.MustCompile("^(route run|system settings set-many) ")

// broken answers each request after some with an error, but those that find a platform and its version.
type broken struct{ atomic.Int32 }

// RoundTrip answers 500.
func (b *broken) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/") || r.URL.Path == "/api/system/info" || b.Add(-1) >= 0 {
		return http.DefaultTransport.RoundTrip(r)
	}
	return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// unasked are the lines that ask for nothing else, are about profiles, or report what was refused.
var unasked = regexp.MustCompile("^(profile|schema|system info|security audit)( |$)")

// TestSuiteFails: every command fails without an answer when the file of the profiles is damaged, and when
// the platform refuses what it asks, at once or later.
func TestSuiteFails(t *testing.T) {
	p := newOnPlatform(t, 42)
	b := new(broken)
	p.transport = b
	path := filepath.Join(p.home, ".config", "platform", "profiles.toml")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	words := suiteWords(t, work, p)
	for file, content := range map[string]string{"damaged": "[", "refused": string(good)} {
		for _, line := range suite {
			if strings.HasPrefix(line, "security report ") || file == "refused" && unasked.MatchString(line) {
				continue
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			for left := int32(0); left == 0 || file == "refused" && !partial.MatchString(line); left++ {
				b.Store(left)
				code, out, errs := p.run(t, strings.Fields(words.Replace(line))...)
				if file == "refused" && b.Load() >= 0 && code == 0 {
					break // no more is asked
				}
				if code == 0 || out != "" || errs == "" || file == "refused" && !strings.Contains(errs, "500") {
					t.Fatalf("%s: %s: exit code %d, %s%s", file, line, code, out, errs)
				}
			}
		}
	}
}

// TestRefusals: commands that cannot do all that they are asked for, and what they say.
func TestRefusals(t *testing.T) {
	p, folder := audited(t, 42)
	withOAuth2(t, p)
	p.env["PLATFORM_PAT"] = platformtest.PAT
	writtenFile(t, filepath.Join(p.home, ".config", "platform"), "tokens.sealed", "damaged")
	run := strings.Split(p.must(t, "security", "audit", "-p", "prod", "--output-dir", folder, "--checks", "routes"), "\n")[0]
	if err := errors.Join(os.Remove(run+"/report.txt"), os.Mkdir(run+"/report.txt", 0o700)); err != nil {
		t.Fatal(err)
	}
	p.Fault("/api/openapi*", platformtest.Fault{Status: http.StatusNotFound})
	const client = " --url URL --auth oauth2 --client-id c"
	for _, test := range []struct {
		line string
		code int
		said string // nothing is said on standard error if it is ""
	}{
		{"profile default --global --local", 2, "cannot be used together"},
		{"security audit -p prod --resume " + run, 1, "file exists"},
		{"-p prod dev codegen --output-dir " + folder, 0, ": no catalogue of the OpenAPI document was written"},
		{"-p prod dev codegen --source oas --output-dir " + folder, 1, "no description"},
		{"profile add busy --redirect-uri URL" + client, 0, ""},
		{"profile login busy", 1, "cannot listen"},
		{"profile add sealed --token-store file" + client, 0, ""},
		{"profile logout sealed", 1, "not a file with encrypted tokens"},
		{"profile add sealed --url URL", 0, "was not deleted: "},
		{"profile add sso --url URL", 0, ""},
		{"profile add x --timeout soon" + client, 2, "flag --timeout must be"},
		{"system info -p prod", 0, "processors      4"},
	} {
		code, out, errs := p.run(t, strings.Fields(strings.ReplaceAll(test.line, "URL", p.URL))...)
		if code != test.code || !strings.Contains(out+errs, test.said) || test.said == "" && errs != "" {
			t.Errorf("%s: exit code %d: %s%s", test.line, code, out, errs)
		}
	}
}

// suiteWords writes the files that the suite names to a folder, and replaces what stands for others.
func suiteWords(t *testing.T, work string, p *onPlatform) *strings.Replacer {
	t.Helper()
	for name, text := range map[string]string{
		"settings.json": `{"applicationTitle": "Many", "minPasswordLength": 9}`, "logo_front.png": pngImage, "style.css": "body{}",
		"patch.json": `[{"op": "replace", "path": "/name", "value": "Patched"}]`,
		"route.json": `{"code": "suite", "name": "Updated", "url": "http://suite.example/**"}`,
		"suite.zip":  string(platformtest.AppArchive("Suite", "1.0.0")),
	} {
		writtenFile(t, work, name, text)
	}
	audit := filepath.Join(work, "audit")
	if err := os.Mkdir(audit, 0o700); err != nil {
		t.Fatal(err)
	}
	writtenFile(t, audit, "manifest.json", `{"check_order":["roles"]}`)
	writtenFile(t, audit, "report.jsonl", "")
	return strings.NewReplacer("WORK", work, "URL", p.URL, "GROUP", platformtest.GroupID, "ROLE", platformtest.PlainRoleID, "UNIT", platformtest.OrgUnitID)
}
