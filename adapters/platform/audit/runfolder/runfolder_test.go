package runfolder

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform/audit"
	"github.com/roget-health/roget/adapters/platform/audit/report"
)

func manifest() audit.Manifest {
	return audit.Manifest{
		Target: "https://p.example", Profile: "prod", ScannerVersion: "v1", PlatformVersion: "2.42.4", CheckOrder: []audit.Key{"version", "routes", "tokens"},
		StartedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
	}
}

func result(key audit.Key) audit.Result {
	return audit.Result{
		Check: key, Label: key.Label(), Status: audit.StatusOK, Findings: []audit.Finding{{Check: key, Severity: audit.High, Title: "Found in " + string(key), Detail: "Here."}},
		Controls: []audit.Outcome{{ID: "x", Label: "X", Status: audit.Pass, FindingTitles: []string{}}},
	}
}

func created(t *testing.T, formats ...report.Format) *Run {
	t.Helper()
	r, err := Create(filepath.Join(t.TempDir(), "audits"), manifest(), formats)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, r *Run, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(r.Path, name))
	must(t, err)
	return string(content)
}

// TestRun: the files of a run while it goes on and at its end. Platform toolkit, section 5.12.
// Rows of docs/platform.md: T5.12.
func TestRun(t *testing.T) {
	r := created(t, report.Formats()...)
	if filepath.Base(r.Path) != "platform-security-prod-20260102T030405000006Z" {
		t.Error(r.Path)
	}
	for i, key := range manifest().CheckOrder {
		must(t, r.Add(result(key)))
		if lines := strings.Count(text(t, r, "report.jsonl"), "\n"); lines != i+1 {
			t.Errorf("%d lines after %s", lines, key)
		}
		if md := text(t, r, "report.md"); !strings.Contains(md, "Found in "+string(key)) || strings.Contains(md, "## Summary") || !strings.Contains(md, "Limits of this audit") {
			t.Errorf("report.md after %s:\n%s", key, md)
		}
		var m audit.Manifest
		must(t, json.Unmarshal([]byte(text(t, r, "manifest.json")), &m))
		if m.Completed {
			t.Error("completed too early")
		}
		if i == 0 {
			if err := r.Finish(); err == nil {
				t.Error("finished with checks left")
			}
		}
	}
	must(t, r.Finish())
	must(t, r.Close())
	for name, part := range map[string]string{
		"manifest.json": `"completed": true`, "report.md": "## Summary", "report.txt": "3 finding(s); worst severity: HIGH", "report.csv": "routes,HIGH,", "report.html": "Found in tokens",
	} {
		if !strings.Contains(text(t, r, name), part) {
			t.Errorf("%s has no %q", name, part)
		}
		if info, err := os.Stat(r.file(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if entries, err := filepath.Glob(filepath.Join(r.Path, ".new-*")); err != nil || entries != nil {
		t.Error(entries, err)
	}
	// A completed run is only rendered.
	must(t, os.Remove(r.file("report.html")))
	again, err := Resume(r.Path, "https://p.example", "prod", []report.Format{report.HTML})
	must(t, err)
	if again.spine != nil || len(again.Left()) != 0 {
		t.Error("a completed run is open for writing")
	}
	spine := text(t, r, "report.jsonl")
	must(t, again.Render([]report.Format{report.HTML}))
	if !strings.Contains(text(t, r, "report.html"), "Found in tokens") || text(t, r, "report.jsonl") != spine {
		t.Error("not rendered again")
	}
}

// TestNeverOverwritten: a folder that is there is not used again.
// Rows of docs/platform.md: T5.12.
func TestNeverOverwritten(t *testing.T) {
	r := created(t)
	must(t, r.Add(result("version")))
	if _, err := Create(filepath.Dir(r.Path), manifest(), nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if !strings.Contains(text(t, r, "report.jsonl"), "Found in version") {
		t.Error("the spine is gone")
	}
}

// TestResume: checks in the spine are skipped, half a line is dropped, other runs are refused.
// Rows of docs/platform.md: T5.12.
func TestResume(t *testing.T) {
	for name, cut := range map[string]string{
		"whole": "", "half a line": `{"check":"routes","label":"Rou`, "a line without its end": `{"check":"routes"}`, "a last line of something else": "\x00\x00\x00\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := created(t, report.Formats()...)
			must(t, r.Add(result("version")))
			must(t, r.Close())
			spine := text(t, r, "report.jsonl")
			must(t, os.WriteFile(r.file("report.jsonl"), []byte(spine+cut), 0o600))
			must(t, os.WriteFile(r.file("report.md"), []byte("# torn"), 0o600))
			open, err := Open(r.Path)
			must(t, err)
			if len(open.Results) != 1 || text(t, r, "report.jsonl") != spine+cut {
				t.Error("opening changes the spine", open.Results)
			}
			must(t, open.Render(report.Formats()))
			if !strings.Contains(text(t, r, "report.txt"), "interrupted") {
				t.Error("the report does not say that the run was interrupted")
			}
			for _, other := range [][2]string{{"https://q.example", "prod"}, {"https://p.example", "test"}} {
				if _, err := Resume(r.Path, other[0], other[1], nil); !errors.Is(err, ErrOtherRun) {
					t.Errorf("%v: %v", other, err)
				}
			}
			again, err := Resume(r.Path, "https://p.example", "prod", report.Formats())
			must(t, err)
			defer again.Close()
			if !slices.Equal(again.Left(), []audit.Key{"routes", "tokens"}) {
				t.Error(again.Left())
			}
			must(t, again.Add(result("routes")))
			must(t, again.Add(result("tokens")))
			must(t, again.Finish())
			if !strings.HasPrefix(text(t, r, "report.jsonl"), spine) || strings.Count(text(t, r, "report.jsonl"), "\n") != 3 {
				t.Error(text(t, r, "report.jsonl"))
			}
			if md := text(t, r, "report.md"); strings.Contains(md, "torn") || strings.Count(md, "Found in version") != 1 {
				t.Error(md)
			}
		})
	}
}

// TestOneProcess: two processes do not continue the same run.
// Rows of docs/platform.md: T5.12.
func TestOneProcess(t *testing.T) {
	r := created(t)
	if _, err := Resume(r.Path, "https://p.example", "prod", nil); !errors.Is(err, ErrBusy) && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
		t.Error(err)
	}
	must(t, r.Close())
	again, err := Resume(r.Path, "https://p.example", "prod", nil)
	must(t, err)
	must(t, again.Close())
}

// TestOpenRefuses: folders that are none of an audit.
// Rows of docs/platform.md: T5.12.
func TestOpenRefuses(t *testing.T) {
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNoRun) || !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	r := created(t)
	must(t, r.Add(result("version")))
	must(t, r.Add(result("routes")))
	broken := strings.Replace(text(t, r, "report.jsonl"), `{"check":"version"`, `{"check":"unknown"`, 1)
	must(t, os.WriteFile(r.file("report.jsonl"), []byte(broken), 0o600))
	if _, err := Open(r.Path); err == nil || !strings.Contains(err.Error(), "line 1 of report.jsonl") {
		t.Error(err)
	}
	must(t, os.Remove(r.file("report.jsonl")))
	if _, err := Open(r.Path); !errors.Is(err, ErrNoRun) {
		t.Error(err)
	}
	must(t, os.WriteFile(r.file("manifest.json"), []byte("{"), 0o600))
	if _, err := Open(r.Path); !errors.Is(err, ErrNoRun) {
		t.Error(err)
	}
}

// TestAttemptLogin: the login is tried once in a run, whatever happens.
// Rows of docs/platform.md: T5.2.
func TestAttemptLogin(t *testing.T) {
	r := created(t)
	must(t, r.AttemptLogin())
	must(t, r.Close())
	again, err := Resume(r.Path, "https://p.example", "prod", nil)
	must(t, err)
	defer again.Close()
	if err := again.AttemptLogin(); !errors.Is(err, ErrLoginTried) {
		t.Error(err)
	}
}

// TestName: names of profiles that are no names of files.
// Rows of docs/platform.md: T5.12.
func TestName(t *testing.T) {
	m := manifest()
	m.Profile = "<env>/../x"
	if got := Name(m); got != "platform-security-envx-20260102T030405000006Z" {
		t.Error(got)
	}
}

// TestWriteGraph: the graph is beside the report.
func TestWriteGraph(t *testing.T) {
	r := created(t)
	must(t, r.WriteGraph(audit.Graph{Nodes: []audit.Node{{ID: "a"}}}))
	if !strings.Contains(text(t, r, "sharing-graph.json"), `"id":"a"`) {
		t.Error("no graph")
	}
}

// TestCreate: a new run is not completed, and one that cannot be described is an error.
func TestCreate(t *testing.T) {
	m := manifest()
	m.Completed = true
	r, err := Create(t.TempDir(), m, nil)
	must(t, err)
	defer r.Close()
	if strings.Contains(text(t, r, "manifest.json"), `"completed": true`) {
		t.Error("a new run is completed")
	}
	m.StartedAt = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) // JSON has no such time
	if r, err := Create(t.TempDir(), m, nil); err == nil {
		t.Error("the manifest cannot be written", r.Close())
	}
}

// TestAddFails: a result that is not durable is an error, and does not count.
func TestAddFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // where syncing a pipe waits for its reader
	}
	r := created(t)
	must(t, r.spine.Close())
	in, out, err := os.Pipe()
	must(t, err)
	defer in.Close()
	r.spine = out
	if err := r.Add(result("version")); err == nil || len(r.Results) != 0 {
		t.Errorf("a pipe, which cannot be synced: %v", err)
	}
	must(t, out.Close())
	if err := lock(out); !errors.Is(err, syscall.EBADF) {
		t.Errorf("a closed file is locked: %v", err)
	}
	r.spine = nil
}

// TestReadFile: a file is read up to the limit.
func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(name, []byte("abc"), 0o600))
	for most, fits := range map[int]bool{2: false, 3: true} {
		if content, err := readFile(name, most); (err == nil) != fits || fits && string(content) != "abc" {
			t.Errorf("at most %d bytes: %q, %v", most, content, err)
		}
	}
}

// FuzzSpine: no spine panics, and what is read is a prefix of it.
// Rows of docs/platform.md: T5.12.
func FuzzSpine(f *testing.F) {
	f.Add([]byte(`{"check":"version"}` + "\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		results, whole, err := parseSpine(text)
		if err == nil && (whole > len(text) || len(results) > 0 && text[whole-1] != '\n') {
			t.Error(whole, results)
		}
	})
}
