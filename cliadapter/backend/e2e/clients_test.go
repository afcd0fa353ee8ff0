package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

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

// nodeScript returns the command that runs a script of testdata/clients, which ends with the test.
func nodeScript(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	folder := filepath.Join("testdata", "clients")
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules", "fhir-kit-client"))
	}
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("the clients are not installed: %v; run npm install in %s", err, folder)
	default:
		t.Skipf("the clients are not installed: %v; run npm install in %s", err, folder)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = folder
	return cmd
}
