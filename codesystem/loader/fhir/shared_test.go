package fhir

import (
	"os"
	"path/filepath"
	"testing"
)

// shared gives a path in the data folder beside the project, or skips the test.
func shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("test data: %v", err)
		}
		t.Skipf("test data is not here: %v", err)
	}
	return path
}

// TestSharedData loads everything there is.
func TestSharedData(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 1,070 code systems")
	}
	c := &counts{}
	if err := Load(t.Context(), shared(t, "."), Options{}, c); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", c)
}
