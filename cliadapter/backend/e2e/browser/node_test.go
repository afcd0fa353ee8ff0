// Package browser tests the program with a browser and with tools for its OpenAPI documents, which others
// wrote.
package browser_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// nodeScript returns the command that runs a script of testdata/clients, which ends with the test.
func nodeScript(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return backendtest.Node(t, filepath.Join("..", "testdata", "clients"), args...)
}
