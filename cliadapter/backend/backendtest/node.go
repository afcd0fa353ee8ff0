package backendtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Node returns the command that runs a script of a folder with the clients that others wrote, which ends
// with the test. It skips the test if they are not installed, except in CI.
func Node(tb testing.TB, folder string, args ...string) *exec.Cmd {
	tb.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules", "fhir-kit-client"))
	}
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		tb.Fatalf("the clients are not installed: %v; run npm install in %s", err, folder)
	default:
		tb.Skipf("the clients are not installed: %v; run npm install in %s", err, folder)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute) // a walk through all pages takes two
	tb.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = folder
	return cmd
}

// Python returns the command that runs a script of that folder with the packages of its requirements.txt,
// which are in its folder python. It skips the test if they are not installed, except in CI.
func Python(tb testing.TB, folder string, args ...string) *exec.Cmd {
	tb.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "python", "bin", "python"))
	if err == nil {
		_, err = os.Stat(path)
	}
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		tb.Fatalf("the clients in Python are not installed: %v; see %s", err, filepath.Join(folder, "requirements.txt"))
	default:
		tb.Skipf("the clients in Python are not installed: %v; see %s", err, filepath.Join(folder, "requirements.txt"))
	}
	cmd := exec.CommandContext(tb.Context(), path, args...)
	cmd.Dir = folder
	return cmd
}

// Browser returns the path of Chromium. It skips the test if that, or a library of the folder with the
// clients that others wrote, is missing, except in CI.
func Browser(tb testing.TB, folder string, libraries ...string) string {
	tb.Helper()
	path, err := exec.LookPath("chromium")
	for _, library := range libraries {
		if err == nil {
			_, err = os.Stat(filepath.Join(folder, "node_modules", library))
		}
	}
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		tb.Fatalf("no browser: %v; install chromium, and run npm install in %s", err, folder)
	default:
		tb.Skipf("no browser: %v; install chromium, and run npm install in %s", err, folder)
	}
	return path
}
