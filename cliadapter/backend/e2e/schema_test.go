package e2e_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestSchema checks 1,000 generated resources of each type and a population by the JSON
// schema of R4.
func TestSchema(t *testing.T) {
	count, patients := 1000, uint64(100)
	if raceDetector {
		count, patients = 50, 5
	}
	made := slices.Concat(generate(t, 1, count), populate(t, 2, patients))
	want := map[string]int{}
	for _, line := range made {
		typ, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"resourceType":"`)), []byte(`"`))
		want[string(typ)]++
	}
	cmd := nodeScript(t, "lines.mjs")
	var problems bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(bytes.Join(made, []byte("\n"))), &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.Bytes())
	}
	var checked map[string]int
	if err := json.Unmarshal(out, &checked); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, checked); diff != "" || len(checked) == 0 {
		t.Errorf("made and checked (-want +got):\n%s", diff)
	}
}

// TestClients runs clients that others wrote against the program. Between them and the
// server is a proxy that checks every body by the JSON schema of R4. They are installed
// by npm install in testdata/clients.
func TestClients(t *testing.T) {
	for _, script := range []string{"kit.mjs", "smart.mjs"} {
		t.Run(script, func(t *testing.T) {
			server := backendtest.Serve(t, backendtest.Released, "--data", t.TempDir())
			cmd := nodeScript(t, script, server.URL+"/baseR4")
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Fatalf("%s: %v\n%s", script, err, server.Log)
			}
		})
	}
}

// TestPythonClients runs fhirpy and fhirclient against the program. python -m venv python and pip
// install -r requirements.txt in testdata/clients install them.
func TestPythonClients(t *testing.T) {
	folder := filepath.Join("testdata", "clients")
	cmd := backendtest.Python(t, folder, "clients.py")
	server := backendtest.Serve(t, backendtest.Released, "--data", t.TempDir())
	cmd.Args = append(cmd.Args, server.URL+"/baseR4")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%v\n%s", err, server.Log)
	}
}

// nodeScript returns the command that runs a script of testdata/clients, which ends with the test.
func nodeScript(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return backendtest.Node(t, filepath.Join("testdata", "clients"), args...)
}
