package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// TestKubernetesExample starts a server with the settings of the example, and with the tokens where its
// Secret has them: behind links that Kubernetes exchanges when the Secret changes.
func TestKubernetesExample(t *testing.T) {
	manifest, err := os.ReadFile("../../../examples/kubernetes/roget.yaml")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?m)^  roget\.toml: \|\n((?:    .*\n)+)`).FindSubmatch(manifest)
	if block == nil {
		t.Fatal("the example has no roget.toml")
	}
	const mounted = "/etc/roget-tokens"
	if !strings.Contains(string(manifest), "mountPath: "+mounted+",") || !strings.Contains(string(manifest), "secretName: roget-tokens\n") {
		t.Errorf("the example mounts no Secret at %s", mounted)
	}
	folder := t.TempDir()
	tokens := filepath.Join(folder, "tokens")
	settings := strings.ReplaceAll(strings.ReplaceAll(string(block[1]), "    ", ""), mounted, tokens)
	if err := os.WriteFile(filepath.Join(folder, "roget.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(folder, "tokens.toml")
	mount := func(name string) (token string) {
		t.Helper()
		out, err := backendtest.Tested(t, "token", "add", name, "--tokens", source, "--scopes", "system/*.cruds").Output()
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			os.MkdirAll(filepath.Join(tokens, name), 0o700),
			os.WriteFile(filepath.Join(tokens, name, "tokens.toml"), content, 0o600),
			os.Symlink(name, filepath.Join(tokens, "..new")),
			os.Rename(filepath.Join(tokens, "..new"), filepath.Join(tokens, "..data")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return strings.TrimSpace(string(out))
	}
	first := mount("first")
	if err := os.Symlink("..data/tokens.toml", filepath.Join(tokens, "tokens.toml")); err != nil {
		t.Fatal(err)
	}
	server := backendtest.Serve(t, backendtest.Tested, "--config", filepath.Join(folder, "roget.toml"), "--data", filepath.Join(folder, "data"))
	get := func(path, token string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	for _, row := range []struct {
		path, token string
		want        int
	}{
		{"/readyz", "", http.StatusOK},
		{"/healthz", "", http.StatusOK},
		{"/Patient", "", http.StatusUnauthorized},
		{"/Patient", "wrong", http.StatusUnauthorized},
		{"/Patient", first, http.StatusOK},
	} {
		if got := get(row.path, row.token); got != row.want {
			t.Errorf("%s with the token %q: %d, want %d\n%s", row.path, row.token, got, row.want, server.Log)
		}
	}
	second := mount("second")
	status := 0
	for until := time.Now().Add(time.Minute); status != http.StatusOK && time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		status = get("/Patient", second)
	}
	if status != http.StatusOK || get("/Patient", first) != http.StatusOK {
		t.Errorf("after the Secret has changed: %d with the new token\n%s", status, server.Log)
	}
}
