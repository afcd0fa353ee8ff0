//go:build unix

package cliadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/cliadapter/bridge"
)

// countVariable names a file to which the counting program writes its arguments, and
// actionVariable what it does then.
const (
	countVariable  = "ROGET_TEST_COUNT"
	actionVariable = "ROGET_TEST_ACTION"
)

// countProgram is the program that this test binary is when countVariable is set: it notes its
// arguments in a file, and does what a test wants.
func countProgram() {
	file := os.Getenv(countVariable)
	if file == "" {
		return
	}
	line, _ := json.Marshal(os.Args[1:])
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s\n", line)
	}
	if err != nil {
		panic(err)
	}
	switch action, value, _ := strings.Cut(os.Getenv(actionVariable), " "); action {
	case "exit":
		code, _ := strconv.Atoi(value)
		fmt.Fprintln(os.Stderr, "it failed")
		os.Exit(code)
	case "print":
		fmt.Print(value)
	case "much":
		fmt.Print(strings.Repeat("x", 3<<20))
	case "hang": // with a child that would go on for a minute and holds the streams
		child := exec.Command("sleep", "60")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		_ = os.WriteFile(value, []byte(strconv.Itoa(child.Process.Pid)), 0o600)
		_ = child.Wait()
	case "input":
		_, err := os.Stdin.Read(make([]byte, 1))
		fmt.Print(err)
	}
	os.Exit(0)
}

func TestMain(m *testing.M) {
	countProgram()
	os.Exit(m.Run())
}

// counted returns a bridge that runs this test binary, and a function that returns and
// forgets the arguments of the processes that were started.
func counted(t *testing.T, action string, environment map[string]string) (*bridge.Bridge, func() [][]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "count")
	t.Setenv(countVariable, file)
	t.Setenv(actionVariable, action)
	all := map[string]string{bridge.BinaryVariable: self}
	for name, value := range environment {
		all[name] = value
	}
	return newBridge(t, all), func() [][]string {
		text, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		_ = os.Remove(file)
		var started [][]string
		for line := range strings.Lines(string(text)) {
			var args []string
			if err := json.Unmarshal([]byte(line), &args); err != nil {
				t.Fatal(err)
			}
			started = append(started, args)
		}
		return started
	}
}

// TestBridgeStartsNothing: a line that is refused starts no process, in either mode; any other
// starts one. Platform client, section 7; platform toolkit, section 6.3.
// Rows of docs/platform.md: 4.29, 7.10, T6.3.
func TestBridgeStartsNothing(t *testing.T) {
	lines := bridgeLines(t)
	modes := []string{"1", "", "true", "YES", "on", "0"}
	if testing.Short() { // which is for what runs at the same time
		modes = modes[:2]
	}
	for _, readOnly := range modes {
		b, started := counted(t, "", map[string]string{bridge.ReadOnlyVariable: readOnly})
		only := readOnly != "0" && readOnly != ""
		for kind, all := range lines {
			if kind == bridge.Read || kind == bridge.Write && !only { // a process each: some are enough
				all = all[:8]
			}
			for _, args := range all {
				result, err := b.Run(t.Context(), args, "")
				wantCode, want := bridge.ExitRefused, 0
				if kind == bridge.Read || kind == bridge.Write && !only {
					wantCode, want = 0, 1
				}
				if n := len(started()); err != nil || result.ExitCode != wantCode || n != want || want == 0 && !strings.HasPrefix(result.Stderr, "refused: ") {
					t.Errorf("read-only %q: %q: %d processes, %+v, %v", readOnly, args, n, result, err)
				}
			}
		}
	}
}

// TestBridgeArguments: --json once, the profile, and the words of a first argument that holds
// several.
// Rows of docs/platform.md: 4.29, T6.3.
func TestBridgeArguments(t *testing.T) {
	b, started := counted(t, "", nil)
	for _, tt := range []struct {
		args    []string
		profile string
		want    []string
	}{
		{[]string{"system", "info"}, "", []string{"--json", "system", "info"}},
		{[]string{"system", "info"}, "prod", []string{"--json", "-p", "prod", "system", "info"}},
		{[]string{"system", "info", "-j"}, "prod", []string{"-p", "prod", "system", "info", "-j"}},
		{[]string{"--json", "user", "list"}, "", []string{"--json", "user", "list"}},
		{[]string{"user", "list", "-jd"}, "", []string{"user", "list", "-jd"}},
		{[]string{"metadata list", "dataElements"}, "", []string{"--json", "metadata", "list", "dataElements"}},
		{[]string{`datastore set ns k "two words"`}, "", []string{"--json", "datastore", "set", "ns", "k", "two words"}},
		{nil, "", []string{"--json"}},
	} {
		result, err := b.Run(t.Context(), tt.args, tt.profile)
		if got := started(); err != nil || result.ExitCode != 0 || len(got) != 1 || !slices.Equal(got[0], tt.want) {
			t.Errorf("%q: %q, %+v, %v", tt.args, got, result, err)
		}
	}
	for _, name := range []string{"-x", "a b", "--profile", "../x", "1"} {
		if result, _ := b.Run(t.Context(), []string{"system", "info"}, name); result.ExitCode != bridge.ExitRefused || len(started()) != 0 {
			t.Errorf("profile %q: %+v", name, result)
		}
	}
	for _, args := range [][]string{{"a 'b"}, {"x\x00"}, make([]string, 300), {"system", strings.Repeat("x", 1<<20)}} {
		if result, _ := b.Run(t.Context(), args, ""); result.ExitCode != bridge.ExitRefused || len(started()) != 0 {
			t.Errorf("%d arguments: %+v", len(args), result)
		}
	}
}

// TestBridgeResults: exit codes, streams and JSON of the program come back; it gets no input.
// Rows of docs/platform.md: T6.3.
func TestBridgeResults(t *testing.T) {
	for _, tt := range []struct {
		action string
		want   bridge.Result
	}{
		{"print {\n  \"a\": [1, 2]\n}\n", bridge.Result{Stdout: `{"a":[1,2]}`}},
		{"print NAME  ID\n", bridge.Result{Stdout: "NAME  ID\n"}},
		{"exit 1", bridge.Result{ExitCode: 1, Stderr: "it failed\n"}},
		{"exit 2", bridge.Result{ExitCode: 2, Stderr: "it failed\n"}},
		{"input", bridge.Result{Stdout: "EOF"}},
	} {
		b, _ := counted(t, tt.action, nil)
		got, err := b.Run(t.Context(), []string{"system", "info"}, "")
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v -want +got\n%s", tt.action, err, diff)
		}
	}
	b, _ := counted(t, "much", nil)
	got, err := b.Run(t.Context(), []string{"system", "info"}, "")
	if err != nil || len(got.Stdout) > 1<<20+200 || !strings.Contains(got.Stdout, "bytes more") {
		t.Errorf("%d bytes, %v", len(got.Stdout), err)
	}
}

// TestBridgeEndsProcesses: a command that takes too long is ended with its children, as is one
// whose caller has gone.
// Rows of docs/platform.md: T6.3.
func TestBridgeEndsProcesses(t *testing.T) {
	for _, timeout := range []string{"0.5", "60"} {
		child := filepath.Join(t.TempDir(), "child")
		b, _ := counted(t, "hang "+child, map[string]string{bridge.TimeoutVariable: timeout})
		ctx, cancel := context.WithCancel(t.Context())
		if timeout == "60" {
			go func() {
				for {
					if _, err := os.Stat(child); err == nil || ctx.Err() != nil {
						cancel()
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
		}
		result, err := b.Run(ctx, []string{"system", "info"}, "")
		cancel()
		if timeout == "60" && !errors.Is(err, context.Canceled) || timeout != "60" && (err != nil || result.ExitCode != bridge.ExitTimeout || !strings.Contains(result.Stderr, bridge.TimeoutVariable)) {
			t.Errorf("timeout %s: %+v, %v", timeout, result, err)
		}
		text, err := os.ReadFile(child)
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(string(text))
		for range 200 { // init, or whoever is above, takes the child's exit status
			if state := processState(pid); state == "" || state == "Z" {
				pid = 0
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Errorf("timeout %s: child %d still runs", timeout, pid)
		}
	}
}

// processState returns the state of a process as in /proc, or "" if there is none.
func processState(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return after[:1]
}

// TestBridgeBinary: no program, and a file that is none, end with 127.
// Rows of docs/platform.md: T6.3.
func TestBridgeBinary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "roget")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	for _, path := range []string{file, file + "-none", t.TempDir(), ""} {
		b := newBridge(t, map[string]string{bridge.BinaryVariable: path})
		result, err := b.Run(t.Context(), []string{"system", "info"}, "")
		if err != nil || result.ExitCode != bridge.ExitMissing || !strings.Contains(result.Stderr, bridge.BinaryVariable) {
			t.Errorf("%q: %+v, %v", path, result, err)
		}
	}
}

// TestBridgeProtectedHosts: where the profile, or an address in the line, leads to a protected
// host, lines that write are refused.
// Rows of docs/platform.md: T6.3.
func TestBridgeProtectedHosts(t *testing.T) {
	write, read := []string{"system", "settings", "set", "k", "v"}, []string{"system", "info"}
	named := []string{"profile", "oauth2", "client", "register", "--url", "https://play.dhis2.org/x", "--client-id", "c"}
	for _, tt := range []struct {
		url, hosts string
		args       []string
		refused    bool
	}{
		{"https://play.dhis2.org/demo", "-", write, true},
		{"https://play.dhis2.org/demo", "-", read, false},
		{"https://x.play.im.dhis2.org", "-", write, true},
		{"https://notplay.dhis2.org", "-", write, false},
		{"https://PLAY.dhis2.org./", "-", write, true},
		{"https://play.dhis2.org", "", write, false},
		{"https://a.example", "b.example,a.example", write, true},
		{"https://sub.a.example:8443/x", " b.example, A.example ", write, true},
		{"https://a.example", "-", named, true},
		{"", "-", named, true},
		{"https://a.example", "", named, false},
		{"", "-", write, false},
	} {
		environment := map[string]string{}
		if tt.url != "" {
			environment["PLATFORM_URL"], environment["PLATFORM_PAT"] = tt.url, "d2pat_EXAMPLE"
		}
		if tt.hosts != "-" {
			environment[bridge.ProtectedHostsVariable] = tt.hosts
		}
		b, started := counted(t, "", environment)
		result, err := b.Run(t.Context(), tt.args, "")
		if n := len(started()); err != nil || (result.ExitCode == bridge.ExitRefused) != tt.refused || (n == 0) != tt.refused {
			t.Errorf("%+v: %d processes, %+v, %v", tt, n, result, err)
		}
	}
}

// TestBridgeSettings: a setting that cannot be read is an error, not a default.
// Rows of docs/platform.md: T6.3.
func TestBridgeSettings(t *testing.T) {
	for name, values := range map[string][]string{
		bridge.ReadOnlyVariable: {"2", "ja", "readonly"},
		bridge.TimeoutVariable:  {"x", "0", "-1", "1e9", "NaN"},
	} {
		for _, value := range values {
			_, err := bridge.New(bridge.Config{LookupEnv: func(asked string) (string, bool) {
				if asked != name {
					return "", false
				}
				return value, true
			}})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		}
	}
}
