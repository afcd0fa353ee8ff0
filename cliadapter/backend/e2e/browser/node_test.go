// Package browser tests the program with a browser and with tools for its OpenAPI documents, which others
// wrote.
package browser_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// clients is the folder with the scripts and the clients that others wrote.
var clients = filepath.Join("..", "testdata", "clients")

// nodeScript returns the command that runs a script of testdata/clients, which ends with the test.
func nodeScript(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return backendtest.Node(t, clients, args...)
}

// browserFor returns the path of Chromium.
func browserFor(t *testing.T) string {
	t.Helper()
	return backendtest.Browser(t, clients, "puppeteer-core", "axe-core")
}
