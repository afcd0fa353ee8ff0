package txtest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/httpadapter/txtest"
	"github.com/roget-health/roget/resources/sharedtest"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestArbiter runs the released program against the runner that comes with the cases, with POST and
// with GET, and expects the verdict of our own comparison for every case.
func TestArbiter(t *testing.T) {
	runner := sharedtest.Path(t, "conformance/txrunner.py")
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("the runner needs python3: ", err)
	}
	run := newConformance(t)
	byMode, alone := map[string][]string{}, map[string]string{} // ids of cases, and modes
	for _, suite := range run.cases.Suites() {
		for _, c := range suite.Cases {
			run.judge(t, suite, c)
			mode := strings.Join(modes(suite), ",")
			if _, special := exceptions[c.ID]; special {
				alone[c.ID] = mode
			} else {
				byMode[mode] = append(byMode[mode], c.ID)
			}
		}
	}
	verdicts := func(e exception, mode string, ids []string) {
		a := arbiter{python: python, runner: runner, tests: sharedtest.Path(t, "conformance/tests"), mode: mode, level: e.level}
		a.url = backendtest.Serve(t, backendtest.Released, serving(t, e.args...)...).URL
		for _, a.get = range []bool{false, true} {
			for id, verdict := range a.judge(t, ids) {
				result, ran := run.results[id]
				switch {
				case verdict.Result == "skip" && run.skipped[id]:
				case !ran || (verdict.Result == "pass") != result.Passed():
					t.Errorf("%s: the arbiter (GET: %v) says %s %s; we say %q", id, a.get, verdict.Result, verdict.Reason, result.Difference)
				}
			}
		}
	}
	for mode, ids := range byMode {
		verdicts(exception{}, mode, ids)
	}
	for id, mode := range alone {
		verdicts(exceptions[id], mode, []string{id})
	}
}

// arbiter is the runner that comes with the cases.
type arbiter struct {
	python, runner, tests string
	url, mode             string
	level                 txtest.Level
	get                   bool // GET where all parameters are primitive
}

// verdict is the result of a case: pass, fail or skip, and the reason.
type verdict struct{ Result, Reason string }

// judge runs some cases and returns their verdicts.
func (a *arbiter) judge(t *testing.T, ids []string) map[string]verdict {
	t.Helper()
	folder := t.TempDir()
	chosen := filepath.Join(folder, "cases")
	if err := os.WriteFile(chosen, []byte(strings.Join(ids, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{a.runner, "--tests", a.tests, "--server", a.url + "/r4", "--modes", a.mode, "--cases", chosen, "--out", folder}
	if a.level != txtest.Normal {
		args = append(args, "--"+a.level.String())
	}
	if a.get {
		args = append(args, "--get")
	}
	out, runErr := exec.Command(a.python, args...).CombinedOutput() // 1 when a case is not passed
	data, err := os.ReadFile(filepath.Join(folder, "results.json"))
	if err != nil {
		t.Fatalf("%v, %v\n%s", runErr, err, out)
	}
	verdicts := map[string]verdict{}
	if err := json.Unmarshal(data, &verdicts); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if _, found := verdicts[id]; !found {
			t.Errorf("the arbiter says nothing of %s", id)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Logf("%d cases of mode %s, GET %v: %s", len(ids), a.mode, a.get, lines[len(lines)-1])
	if !slices.ContainsFunc(ids, func(id string) bool { return verdicts[id].Result != "skip" }) {
		t.Errorf("the arbiter skipped everything of mode %s", a.mode)
	}
	return verdicts
}
