package sharedtest

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Java returns a command that runs a Java source file with HAPI and HL7's validator, whose libraries
// ../shared/conformance/validator/run fetches. If they or Java 17 are missing, the test is skipped, or
// fails if CI=true.
func Java(t testing.TB, source string, args ...string) *exec.Cmd {
	t.Helper()
	home, homeless := os.UserHomeDir()
	folder := cmp.Or(os.Getenv("ROGET_VALIDATOR"), filepath.Join(home, ".cache", "roget-validator"))
	_, unfetched := os.Stat(filepath.Join(folder, "ready"))
	java, missing := exec.LookPath("java")
	if err := cmp.Or(homeless, unfetched, missing); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("Java 17 and the libraries that ../shared/conformance/validator/run fetches are required if CI=true: %v", err)
		}
		t.Skipf("needs Java 17 and the libraries that ../shared/conformance/validator/run fetches: %v", err)
	}
	logging := Path(t, "conformance/official/logback.xml")
	line := append([]string{"-Dlogback.configurationFile=" + logging, "-cp", filepath.Join(folder, "jars", "*"), source}, args...)
	return exec.CommandContext(context.WithoutCancel(t.Context()), java, line...)
}
