package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/report"
	"github.com/roget-health/roget/adapters/platform/audit/runfolder"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// An auditor runs roget security audit as a process of its own.
type auditor struct {
	*platformtest.Platform
	home, folder string
}

func newAuditor(t *testing.T) *auditor {
	t.Helper()
	a := &auditor{Platform: platformtest.New(t, platformtest.Options{Major: 42}), home: t.TempDir(), folder: t.TempDir()}
	a.keepReleases(t)
	return a
}

// keepReleases stores a list of releases, so that no test needs a network.
func (a *auditor) keepReleases(t *testing.T) {
	t.Helper()
	_ = os.Remove(a.releases())
	feed := `{"versions":[{"name":"2.42","version":42,"supported":true,"latest":true,"latestPatchVersion":4}]}`
	err := os.MkdirAll(filepath.Dir(a.releases()), 0o700)
	if err == nil {
		err = os.WriteFile(a.releases(), []byte(feed), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// command returns the command that audits.
func (a *auditor) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("roget") // this test binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{"security", "audit"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+a.home, "XDG_CONFIG_HOME="+a.home, "XDG_CACHE_HOME="+a.home+"/cache", "PLATFORM_PROFILE=", "PLATFORM_URL="+a.URL, "PLATFORM_PAT="+platformtest.PAT)
	return cmd
}

// fifo makes a named pipe, on which whoever opens it waits for the other end.
func fifo(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	if out, err := exec.CommandContext(t.Context(), "mkfifo", path).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no named pipes: %v: %s", err, out)
		}
		t.Skipf("no named pipes: %v: %s", err, out)
	}
}

// releases is the file with the list of releases.
func (a *auditor) releases() string {
	return filepath.Join(a.home, "cache", "platform", "releases.json")
}

// hold makes a check wait for ever for what it reads. It returns what to do when a check begins.
func (a *auditor) hold(t *testing.T, check audit.Key) (begins func(audit.Key)) {
	t.Helper()
	always := platformtest.Fault{Wait: make(chan struct{})}
	begins = func(audit.Key) {}
	switch check {
	case audit.CheckVersion:
		fifo(t, a.releases())
	case audit.CheckTransport: // reads what Connect has read: wait for the check before
		feed, err := os.ReadFile(a.releases())
		if err != nil {
			t.Fatal(err)
		}
		fifo(t, a.releases())
		begins = func(key audit.Key) {
			if key == audit.CheckVersion {
				a.Fault("/api/system/info", always)
				if err := os.WriteFile(a.releases(), feed, 0o600); err != nil {
					t.Error(err)
				}
			}
		}
	case audit.CheckGuest: // reads what the check of accounts has read
		before := make(chan struct{})
		a.Fault("/api/me", platformtest.Fault{Wait: before, Times: 1})
		begins = func(key audit.Key) {
			if key == audit.CheckCredentialProbe {
				a.Fault("/api/users", always)
				close(before)
			}
		}
	default:
		a.Fault(firstReads[check], always)
	}
	return begins
}

// firstReads is what a check reads first, and no check before it.
var firstReads = map[audit.Key]string{
	audit.CheckSettings: "/api/systemSettings", audit.CheckAuthorities: "/api/me/authorization", audit.CheckRoles: "/api/userRoles", audit.CheckHygiene: "/api/users",
	audit.CheckCredentialProbe: "/api/me", audit.CheckApps: "/api/apps", audit.CheckSharing: "/api/schemas", audit.CheckAuthMethods: "/api/loginConfig",
	audit.CheckTokens: "/api/apiToken", audit.CheckRoutes: "/api/routes",
}

// killed runs an audit and kills the process by SIGKILL when it says that a check begins. It returns the
// folder of the run.
func (a *auditor) killed(t *testing.T, check audit.Key, begins func(audit.Key), args ...string) string {
	t.Helper()
	cmd := a.command(t, append(args, "--progress")...)
	progress, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		said += lines.Text() + "\n"
		_, key, _ := strings.Cut(lines.Text(), ": ")
		begins(audit.Key(key))
		if key == string(check) {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	err = cmd.Wait()
	if err == nil {
		t.Logf("%s: the audit was done before it was killed", check)
	} else if !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%s: %v\n%s", check, err, said)
	}
	runs, err := filepath.Glob(a.folder + "/platform-security-*")
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	return runs[0]
}

// TestAuditKilled kills an audit by SIGKILL at every check, once where the check begins and once where it
// waits for what it reads, and resumes it: no result is lost, none is there twice, and the report is that
// of a run that was not interrupted. Platform toolkit, section 5.12.
// Rows of docs/platform.md: 2.6.3, T5.2, T5.12.
func TestAuditKilled(t *testing.T) {
	t.Parallel()
	whole := newAuditor(t)
	if out, err := whole.command(t, "--output-dir", whole.folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs, err := filepath.Glob(whole.folder + "/*")
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	want, err := runfolder.Open(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range audit.Keys() {
		for _, waits := range []bool{false, true} {
			if waits && key == audit.CheckAuditConfig {
				continue // reads a file, and refuses a pipe, which alone could make it wait
			}
			t.Run(fmt.Sprintf("%s, waits %t", key, waits), func(t *testing.T) {
				a := newAuditor(t)
				begins := func(audit.Key) {}
				if waits {
					begins = a.hold(t, key)
				}
				folder := a.killed(t, key, begins, "--output-dir", a.folder)
				run, err := runfolder.Open(folder)
				if err != nil {
					t.Fatal(err)
				}
				if len(run.Results) < i || waits && (len(run.Results) != i || run.Manifest.Completed) {
					t.Errorf("%d results after the kill at check %d", len(run.Results), i+1)
				}
				a.Heal()
				a.keepReleases(t)
				if out, err := a.command(t, "--resume", folder).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				run, err = runfolder.Open(folder)
				if err != nil {
					t.Fatal(err)
				}
				if !run.Manifest.Completed || len(run.Results) != len(want.Results) {
					t.Fatalf("completed %t, %d results", run.Manifest.Completed, len(run.Results))
				}
				logins := 0
				for _, r := range a.Requests() {
					if _, _, ok := (&http.Request{Header: r.Header}).BasicAuth(); ok {
						logins++
					}
					if r.Method != http.MethodGet || !slices.Contains(audit.Permitted(), r.Path) {
						t.Errorf("%s %s was sent", r.Method, r.Path)
					}
				}
				if logins > 1 {
					t.Errorf("%d logins were tried", logins)
				}
				for j, result := range run.Results {
					interrupted := result.Check == audit.CheckCredentialProbe && result.Status == audit.StatusSkipped && strings.Contains(result.Note, "not tried twice")
					if interrupted && key == audit.CheckCredentialProbe {
						continue
					}
					if !reflect.DeepEqual(result, want.Results[j]) {
						t.Errorf("%+v\nwithout the kill %+v", result, want.Results[j])
					}
				}
				for _, format := range report.Formats() {
					text, err := os.ReadFile(filepath.Join(folder, "report."+string(format)))
					var b bytes.Buffer
					if err == nil {
						err = format.Write(&b, run.Report())
					}
					if err != nil || !bytes.Equal(text, b.Bytes()) {
						t.Errorf("report.%s is not that of the results: %v", format, err)
					}
				}
			})
		}
	}
}

// TestAuditInterrupted: an audit that is interrupted says how to continue.
func TestAuditInterrupted(t *testing.T) {
	a := newAuditor(t)
	a.hold(t, audit.CheckRoles)
	cmd := a.command(t, "--output-dir", a.folder, "--progress")
	progress, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		said += lines.Text() + "\n"
		if strings.HasSuffix(lines.Text(), ": roles") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(said, "continue with --resume "+a.folder) || !strings.Contains(said, "interrupted") {
		t.Fatalf("%v: %s", err, said)
	}
	_, folder, _ := strings.Cut(said, "--resume ")
	folder, _, _ = strings.Cut(folder, "\n")
	a.Heal()
	if out, err := a.command(t, "--resume", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// pageFacts are what audit_page.mjs finds.
type pageFacts struct {
	Errors, Requests, Checks, Controls, Scores, Critical   []string
	Findings, Open, Groups, Again, Landmarks, Printed, PDF int
	Title, Status, Filtered, First                         string
	Axe                                                    map[string]struct {
		Background string
		Violations []struct {
			ID, Impact string
			Nodes      []string
		}
	}
}

// TestAuditPage opens the page of an audit in a browser without a network: all rows are there, scripts
// run without errors, nothing else is requested, the filter works, and axe finds nothing serious in light
// and dark.
// Rows of docs/platform.md: 2.6.2, T5.12.
func TestAuditPage(t *testing.T) {
	browser := backendtest.Browser(t, filepath.Join("testdata", "clients"), "puppeteer-core", "axe-core")
	a := newAuditor(t)
	a.Put("userRoles", platformtest.Object{"id": "Rol00000050", "name": `<img src="x" onerror="alert(1)"><script>alert(2)</script>`, "authorities": []string{"F_USER_ADD"}})
	a.Put("users", platformtest.Object{"id": "Usr00000050", "username": `"><svg onload=alert(3)>`, "userRoles": []any{platformtest.Object{"id": "Rol00000001"}}})
	if out, err := a.command(t, "--output-dir", a.folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pages, err := filepath.Glob(a.folder + "/*/report.html")
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	run, err := runfolder.Open(filepath.Dir(pages[0]))
	if err != nil {
		t.Fatal(err)
	}
	cmd := nodeScript(t, "audit_page.mjs", browser, pages[0])
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	var facts pageFacts
	if err := json.Unmarshal(out, &facts); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, request := range facts.Requests {
		if !strings.HasPrefix(request, "file://") || !strings.HasSuffix(request, "report.html") {
			t.Errorf("the page requests %s", request)
		}
	}
	if len(facts.Errors) > 0 {
		t.Errorf("errors: %v", facts.Errors)
	}
	var checks, controls, scores []string
	for _, result := range run.Results {
		checks = append(checks, string(result.Check))
		for _, o := range result.Controls {
			controls = append(controls, o.ID+" "+string(o.Status))
		}
	}
	summary := run.Report().Summary
	for _, severity := range audit.Severities() {
		scores = append(scores, fmt.Sprintf("%s %d", severity, summary.Totals[severity]))
	}
	if !slices.Equal(facts.Checks, checks) || !slices.Equal(facts.Controls, controls) || len(controls) != 72 || !slices.Equal(facts.Scores, scores) || facts.Findings != summary.Findings {
		t.Errorf("rows: %+v", facts)
	}
	if all := fmt.Sprintf("Showing %d of %d findings.", summary.Findings, summary.Findings); facts.Open != 0 || facts.Status != all || facts.Landmarks != 4 || !strings.Contains(facts.Title, a.URL) {
		t.Errorf("at first: %+v", facts)
	}
	critical := slices.DeleteFunc(facts.Critical, func(s string) bool { return s == "CRITICAL" })
	if len(critical) > 0 || facts.Filtered != fmt.Sprintf("Showing %d of %d findings.", summary.Totals[audit.Critical], summary.Findings) || facts.Again != facts.Groups {
		t.Errorf("the filter: %v, %q, %d of %d", critical, facts.Filtered, facts.Again, facts.Groups)
	}
	if facts.First != "skip" || facts.Printed != 0 || facts.PDF < 10_000 {
		t.Errorf("first by the keyboard: %q, not printed: %d, PDF of %d bytes", facts.First, facts.Printed, facts.PDF)
	}
	if facts.Axe["light"].Background == facts.Axe["dark"].Background || len(facts.Axe) != 2 {
		t.Errorf("light and dark are the same: %+v", facts.Axe)
	}
	for scheme, found := range facts.Axe {
		for _, v := range found.Violations {
			t.Errorf("axe, %s: %s (%s): %v", scheme, v.ID, v.Impact, v.Nodes)
		}
	}
}
