package browser_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestOpenAPI lets tools of others read the OpenAPI documents of the program: one judges them, another
// makes the types of a client, whose calls the compiler checks before a server answers them.
func TestOpenAPI(t *testing.T) {
	server := backendtest.Serve(t, backendtest.Released, "--data", t.TempDir())
	folder := t.TempDir()
	r4 := save(t, server.URL+"/openapi.json", filepath.Join(folder, "r4.json"))
	r5 := save(t, server.URL+"/r5/openapi.json", filepath.Join(folder, "r5.json"))
	t.Run("tools", func(t *testing.T) {
		t.Run("judged", func(t *testing.T) {
			t.Parallel()
			tool(t, "@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", "--format", "stylish", r4, r5)
		})
		t.Run("client", func(t *testing.T) {
			t.Parallel()
			tool(t, "openapi-typescript/bin/cli.js", r4, "--output", "node_modules/.openapi/types.d.ts")
			tool(t, "typescript/bin/tsc", "--noEmit", "--allowJs", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "openapi.mjs")
			if said := tool(t, "", "openapi.mjs", server.URL); !strings.Contains(said, "14 calls") {
				t.Errorf("the client says %q", said)
			}
		})
	})
	if page := fetched(t, server.URL+"/ui/api?tag=ValueSet&q=expand"); !strings.Contains(page, "<bdi>/ValueSet/{id}/$expand</bdi>") {
		t.Errorf("the page does not show $expand: %s", page)
	}
}

// tool runs a program of node_modules, or a script of testdata/clients if path is empty, and returns
// what it says.
func tool(t *testing.T, path string, args ...string) string {
	t.Helper()
	if path != "" {
		args = append([]string{filepath.Join("node_modules", filepath.FromSlash(path))}, args...)
	}
	cmd := nodeScript(t, args...)
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

// fetched returns the body of a response with status 200.
func fetched(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v: %s", address, resp.Status, err, body)
	}
	return string(body)
}

// save writes the body of a response to a file, and returns its path.
func save(t *testing.T, address, path string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(fetched(t, address)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
