package e2e_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/roget-health/roget/adapters/postgres/pgtest"
	"github.com/roget-health/roget/cliadapter/backend"
	"github.com/roget-health/roget/engine/operation"
)

// TestMain makes the test binary double as roget, for scripts and child processes, and as
// the floor that benchmarks compare with.
func TestMain(m *testing.M) {
	testscript.Main(postgresTests{m}, map[string]func(){
		"roget": func() { os.Exit(backend.Main(backend.Release{})) },
		"floor": serveFloor,
	})
}

// postgresServer is for tests that need PostgreSQL.
var postgresServer pgtest.Server

// postgresTests are tests that stop the server when they are done.
type postgresTests struct{ m *testing.M }

// Run implements the interface of testing.M.
func (t postgresTests) Run() int { return postgresServer.Main(t.m) }

// TestScripts runs the command lines of testdata/script: help, answers in both forms,
// errors, exit codes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("S", "https://roget.health/fhir")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"examples": examples,
		},
	})
}

// exits runs a command that must end with an exit code: exits 1 roget member-of ...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// examples runs the examples in the help of a command that read a file of the script, with a shell:
// examples COMMAND. Each must be answered; an answer may be no.
func examples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: examples COMMAND")
	}
	ts.Check(ts.Exec("roget", args[0], "--help"))
	_, text, found := strings.Cut(ts.ReadFile("stdout"), "\nExamples:\n")
	if !found {
		ts.Fatalf("%s has no examples", args[0])
	}
	ran := 0
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if !strings.Contains(line, " --from ") && !strings.Contains(line, " < ") && !strings.Contains(line, " annotate ") {
			continue
		}
		ran++
		err := ts.Exec("sh", "-c", line)
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != operation.ExitNo) {
			ts.Fatalf("%s: %v", line, err)
		}
		if ts.ReadFile("stdout") == "" {
			ts.Fatalf("%s: no answer", line)
		}
	}
	if ran == 0 {
		ts.Fatalf("%s: no example reads a file", args[0])
	}
}
