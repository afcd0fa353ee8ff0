package platform_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// offline is a transport that reaches this machine and answers for the list of releases.
type offline struct{ feeds int }

func (o *offline) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.String() != audit.FeedURL {
		return http.DefaultTransport.RoundTrip(r)
	}
	o.feeds++
	recorder := httptest.NewRecorder()
	_, _ = recorder.WriteString(`{"versions":[{"version":42,"supported":true,"latest":true,"latestPatchVersion":4},{"version":43,"supported":true,"latestPatchVersion":0}]}`)
	return recorder.Result(), nil
}

// audited returns a platform for audits without a network.
func audited(t *testing.T, major int, change ...func(o *platformtest.Options)) (*onPlatform, string) {
	t.Helper()
	p := newOnPlatform(t, major, change...)
	p.transport = new(offline)
	return p, t.TempDir()
}

// onlyPermitted checks that a platform has received only what an audit may request.
func onlyPermitted(t *testing.T, p *onPlatform) {
	t.Helper()
	for _, r := range p.Requests() {
		if r.Method != http.MethodGet || !slices.Contains(audit.Permitted(), r.Path) {
			t.Errorf("%s %s was sent", r.Method, r.Path)
		}
		if agent := r.Header.Get("User-Agent"); agent != "roget-security-audit" {
			t.Errorf("%s: the user agent is %s", r.Path, agent)
		}
	}
}

// TestSecurityAudit: the audit of each major, its last lines, its files and its JSON. Platform toolkit,
// sections 3.3 and 5.12.
// Rows of docs/platform.md: 2.6.3, 2.6.7, T3.3, T5.1, T5.4.
func TestSecurityAudit(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		p.transport = new(offline)
		folder := t.TempDir()
		lines := strings.Split(strings.TrimSpace(p.must(t, "security", "audit", "--output-dir", folder)), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], folder+"/platform-security-prod-2") || !strings.Contains(lines[1], "finding(s); worst severity: CRITICAL") {
			t.Fatal(lines)
		}
		onlyPermitted(t, p)
		var files []string
		entries, err := os.ReadDir(lines[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			files = append(files, e.Name())
		}
		if strings.Join(files, " ") != "login-attempted manifest.json report.csv report.html report.jsonl report.md report.txt" {
			t.Error(files)
		}
		p.Forget()
		doc := parsed[audit.Report](t, p.must(t, "security", "audit", "--output-dir", folder, "--json", "--no-credential-probe"))
		if len(doc.Results) != 14 || !doc.Manifest.Completed || doc.Manifest.Profile != "prod" || doc.Manifest.Target != p.URL || doc.Manifest.ScannerVersion != "v1.2.3" || doc.Summary.Worst != audit.Critical {
			t.Errorf("%+v", doc.Manifest)
		}
		for _, r := range p.Requests() {
			if _, _, ok := (&http.Request{Header: r.Header}).BasicAuth(); ok {
				t.Error("a login was tried")
			}
		}
		if feeds := p.transport.(*offline).feeds; feeds != 1 {
			t.Errorf("the list of releases was requested %d times in two runs", feeds)
		}
		again := p.must(t, "security", "report", lines[0], "--format", "html")
		if again != strings.Join(lines, "\n")+"\n" {
			t.Error(again)
		}
		rerendered := parsed[audit.Report](t, p.must(t, "security", "report", lines[0], "--json"))
		if len(rerendered.Results) != 14 {
			t.Error(rerendered.Manifest)
		}
	})
}

// TestAuditFlags: what the flags choose.
// Rows of docs/platform.md: 2.6.4, T3.3, T5.9.
func TestAuditFlags(t *testing.T) {
	p, folder := audited(t, 42, func(o *platformtest.Options) { o.Version = "2.42.7" }) // which has the two-factor endpoint
	run := func(args ...string) audit.Report {
		t.Helper()
		return parsed[audit.Report](t, p.must(t, append([]string{"security", "audit", "--json", "--output-dir", folder}, args...)...))
	}
	doc := run("--checks", "routes,hygiene", "--skip", "routes", "--format", "csv")
	if len(doc.Results) != 1 || doc.Results[0].Check != audit.CheckHygiene || len(doc.Manifest.CheckOrder) != 1 {
		t.Errorf("%+v", doc.Manifest)
	}
	if files, _ := filepath.Glob(folder + "/*/report.*"); len(files) != 2 {
		t.Error(files)
	}
	has(t, doc.Results[0].Findings[0].Title+" "+note(doc, "hygiene-2fa-superuser"), "Superusers have no second factor")
	conf := writtenFile(t, folder, "dhis.conf", "system.audit.enabled = off\nencryption.password = planted")
	p.env["PLATFORM_CONF_LOCATION"] = conf
	for _, args := range [][]string{{}, {"--server-conf", conf}} {
		if doc := run(append(args, "--checks", "audit-config")...); doc.Summary.Worst != audit.Medium {
			t.Errorf("%+v", doc.Summary)
		}
		p.env["PLATFORM_CONF_LOCATION"] = ""
	}
	doc = run("--checks", "hygiene", "--two-factor-detail", "--stale-days", "100000", "--max-password-age", "100000")
	var titles []string
	for _, f := range doc.Results[0].Findings {
		titles = append(titles, f.Title)
	}
	if all := strings.Join(titles, ";"); !strings.Contains(all, "A superuser has no second factor") || strings.Contains(all, "Old passwords") {
		t.Error(all)
	}
	run("--checks", "sharing", "--sharing-graph")
	graphs, _ := filepath.Glob(folder + "/*/sharing-graph.json")
	if len(graphs) != 1 {
		t.Fatal(graphs)
	}
	text, err := os.ReadFile(graphs[0])
	if err != nil {
		t.Fatal(err)
	}
	if g := parsed[audit.Graph](t, string(text)); len(g.Nodes) == 0 || len(g.Edges) == 0 || len(g.Access) == 0 || len(g.Caveats) < 3 {
		t.Errorf("%+v", g)
	}
	if doc := run("--checks", "sharing", "--max-objects", "1"); !strings.Contains(doc.Results[0].Note, "ONLY THE FIRST 1 OBJECTS") {
		t.Error(doc.Results[0].Note)
	}
	onlyPermitted(t, p)
	for severity, want := range map[string]int{"critical": 0, "HIGH": 0, "medium": 1, "info": 1} {
		if code, out, errs := p.run(t, "security", "audit", "--output-dir", folder, "--checks", "audit-config", "--server-conf", conf, "--fail-on", severity); code != want || out == "" || errs != "" {
			t.Errorf("--fail-on %s: exit code %d: %s%s", severity, code, out, errs)
		}
	}
}

// note returns the reason of a control.
func note(doc audit.Report, id string) string {
	for _, r := range doc.Results {
		for _, o := range r.Controls {
			if o.ID == id {
				return o.Note + strings.Join(o.FindingTitles, " ")
			}
		}
	}
	return ""
}

// TestAuditDefaults: the ages and numbers that apply without flags, as help states them.
// Rows of docs/platform.md: 8.3, T3.3.
func TestAuditDefaults(t *testing.T) {
	p, folder := audited(t, 42)
	help := strings.Join(strings.Fields(p.must(t, "security", "audit", "--help")), " ")
	has(t, help, "stale. Default: 90.", "--max-password-age N Days after which a password is old. Default: 365.", "--max-objects N Objects whose sharing is read. Default: 5000.")
	out := p.must(t, "security", "audit", "--output-dir", folder, "--checks", "hygiene", "--json")
	has(t, out, "older than 365 days", "A privileged account is not used")
}

// TestAuditUsage: wrong usage exits with 2 before anything is requested, and other failures with 1.
// Platform toolkit, section 0.4.
// Rows of docs/platform.md: T3.3.
func TestAuditUsage(t *testing.T) {
	p, folder := audited(t, 42)
	for _, line := range []string{
		"--checks rutes", "--skip rutes", "--checks routes --skip routes", "--checks ,", "--format pdf", "--format ,", "--stale-days 0", "--max-password-age x", "--max-objects 0",
		"--fail-on bad", "--progress --no-progress", "--credential-probe --no-credential-probe", "--resume x --checks routes", "extra",
	} {
		errs := p.fails(t, 2, append([]string{"security", "audit", "--output-dir", folder}, strings.Fields(line)...)...)
		has(t, errs, "security audit: ")
	}
	p.fails(t, 2, "security", "report")
	p.fails(t, 2, "security", "report", folder, "--format", "pdf")
	if len(p.Requests()) > 0 {
		t.Error(p.Requests())
	}
	has(t, p.fails(t, 1, "security", "report", folder), "no folder of a security audit")
	has(t, p.fails(t, 1, "security", "audit", "--resume", folder), "no folder of a security audit")
	p.Fault("/api/system/info", platformtest.Fault{Status: 500})
	has(t, p.fails(t, 1, "security", "audit", "--output-dir", folder), "API error (500)")
	p.Heal()
	has(t, p.fails(t, 1, "security", "audit", "--output-dir", writtenFile(t, folder, "file", "x")+"/below"), "not a directory")
	newer, _ := audited(t, 43, func(o *platformtest.Options) { o.Version = "2.44.0" })
	has(t, newer.fails(t, 1, "security", "audit", "--output-dir", folder), "2.44.0", "--version-fallback")
	if code, _, errs := newer.run(t, "security", "audit", "--output-dir", folder, "--version-fallback"); code != 0 || !strings.Contains(errs, `version "2.44.0", which this program does not know; it is audited as v43`) {
		t.Error(code, errs)
	}
}

// TestAuditResume: an interrupted run continues with the checks that are left; others are refused; a
// completed one is rendered again.
// Rows of docs/platform.md: T3.3, T5.12.
func TestAuditResume(t *testing.T) {
	p, folder := audited(t, 42)
	run := strings.Split(p.must(t, "security", "audit", "--output-dir", folder, "--checks", "version,settings,roles,guest"), "\n")[0]
	spine, err := os.ReadFile(run + "/report.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(spine), "\n")
	writtenFile(t, run, "report.jsonl", lines[0]+lines[1]+lines[2][:20])
	manifest, err := os.ReadFile(run + "/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	writtenFile(t, run, "manifest.json", strings.Replace(string(manifest), `"completed": true`, `"completed": false`, 1))
	p.Forget()
	doc := parsed[audit.Report](t, p.must(t, "security", "audit", "--resume", run, "--json"))
	if len(doc.Results) != 4 || !doc.Manifest.Completed {
		t.Errorf("%+v", doc.Manifest)
	}
	for _, r := range p.Requests() {
		if r.Path == "/api/configuration/corsWhitelist" {
			t.Error("a check that was done runs again")
		}
	}
	p.Forget()
	if err := os.Remove(run + "/report.txt"); err != nil {
		t.Fatal(err)
	}
	p.must(t, "security", "audit", "--resume", run)
	if _, err := os.Stat(run + "/report.txt"); err != nil || len(p.Requests()) > 3 {
		t.Error(err, p.Requests())
	}
	p.env["PLATFORM_PAT"] = platformtest.PAT
	p.must(t, "profile", "add", "other", "--url", p.URL, "--auth", "pat", "--from-env")
	has(t, p.fails(t, 1, "security", "audit", "--resume", run, "-p", "other"), "another platform or profile")
	elsewhere, _ := audited(t, 42)
	has(t, elsewhere.fails(t, 1, "security", "audit", "--resume", run), "another platform or profile")
}

// TestAuditProgress: progress is on standard error of a terminal, where it is asked for.
// Rows of docs/platform.md: T3.3.
func TestAuditProgress(t *testing.T) {
	p, folder := audited(t, 42)
	for _, test := range []struct {
		terminal bool
		flag     string
		want     bool
	}{{true, "", true}, {true, "--no-progress", false}, {false, "", false}, {false, "--progress", true}} {
		p.terminal = test.terminal
		args := []string{"security", "audit", "--output-dir", folder, "--checks", "roles,routes"}
		if test.flag != "" {
			args = append(args, test.flag)
		}
		code, out, errs := p.run(t, args...)
		if code != 0 || strings.Contains(errs, "check 2 of 2: routes") != test.want || strings.Contains(out, "check ") {
			t.Errorf("%+v: %d %s %s", test, code, out, errs)
		}
	}
}

// TestSecurityAuthorities: count, superuser, categories with the authorities that matched.
// Rows of docs/platform.md: 2.6.6, T3.3, T5.3.
func TestSecurityAuthorities(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		has(t, squeezed(p.must(t, "security", "authorities")), "2 authorities; superuser: true", "superuser every right there is ALL", "F_USER_ADD")
		account := parsed[map[string]any](t, p.must(t, "security", "authorities", "--json"))
		text, err := json.Marshal(account["categories"].([]any)[1])
		if err != nil || account["is_superuser"] != true || len(account["authorities"].([]any)) != 2 || !strings.Contains(string(text), `"key":"user_management"`) || !strings.Contains(string(text), `"matched":["F_USER_ADD"]`) {
			t.Error(account, err)
		}
	})
	p := newOnPlatform(t, 42)
	p.env["PLATFORM_URL"], p.env["PLATFORM_PAT"] = p.URL, platformtest.PlainPAT
	has(t, p.must(t, "security", "authorities"), "1 authority; superuser: false", "none of them is dangerous")
}

// TestSecuritySettings: Platform client, section 4, security settings, and section 2.4,
// security settings slice.
// Rows of docs/platform.md: 2.4.3, 4.26, T3.1.
func TestSecuritySettings(t *testing.T) {
	forMajors(t, func(t *testing.T, p *onPlatform) {
		out := squeezed(p.must(t, "security", "settings"))
		has(t, out, "SETTING VALUE\nminPasswordLength 8\nmaxPasswordLength 72\ncredentialsExpires never\ncredentialsExpiresReminderInDays 28\n",
			"keyLockMultipleFailedLogins false\n", "keyEmailHostName smtp.platform.example\n")
		verified := "enforceVerifiedEmail false\n"
		if p.major == 41 {
			verified = "enforceVerifiedEmail -\n"
		}
		has(t, out, verified)
		slice := parsed[map[string]any](t, p.must(t, "security", "settings", "--json"))
		_, there := slice["enforceVerifiedEmail"]
		if slice["credentialsExpires"] != 0.0 || slice["keyAccountRecovery"] != true || there != (p.major > 41) || slice["applicationTitle"] != nil {
			t.Error(slice)
		}
		if changed := written(p); len(changed) != 0 {
			t.Error(changed)
		}
	})
	p := newOnPlatform(t, 42, func(o *platformtest.Options) {
		o.Settings = map[string]any{"credentialsExpires": 6, "minPasswordLength": nil}
	})
	has(t, squeezed(p.must(t, "security", "settings")), "credentialsExpires 6 months\n", "minPasswordLength -\n")
}
