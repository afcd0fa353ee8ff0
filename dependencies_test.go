package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pins are versions that must be exactly these; docs/decisions/0003 says why.
var pins = map[string]string{
	"modernc.org/sqlite":                  "v1.60.1",
	"modernc.org/libc":                    "v1.77.1",
	"github.com/pressly/goose/v3":         "v3.28.0",
	"github.com/julienschmidt/httprouter": "v1.3.0",
	"github.com/hashicorp/golang-lru/v2":  "v2.0.7",
	"github.com/urfave/cli/v2":            "v2.27.7",
	"github.com/RoaringBitmap/roaring/v2": "v2.30.0",
	"github.com/samber/lo":                "v1.53.0",
	"github.com/BurntSushi/toml":          "v1.6.0",
	"github.com/zalando/go-keyring":       "v0.2.8",
	"golang.org/x/crypto":                 "v0.58.0",

	"github.com/modelcontextprotocol/go-sdk": "v1.8.0",
}

// TestPins checks the versions in use, and that modernc.org/libc is the very version
// that the go.mod of modernc.org/sqlite names: another one may corrupt data.
func TestPins(t *testing.T) {
	used := map[string]string{}
	for _, line := range strings.Split(goList(t, "-m", "-f", "{{.Path}} {{.Version}}", "all"), "\n") {
		if path, version, found := strings.Cut(strings.TrimSpace(line), " "); found {
			used[path] = version
		}
	}
	for path, want := range pins {
		if used[path] != want {
			t.Errorf("%s is %q, pinned to %s", path, used[path], want)
		}
	}
	dir := strings.TrimSpace(goList(t, "-m", "-f", "{{.Dir}}", "modernc.org/sqlite"))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "modernc.org/libc " + used["modernc.org/libc"]; !strings.Contains(string(mod), want) {
		t.Errorf("the go.mod of modernc.org/sqlite does not say %q", want)
	}
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return string(out)
}

// TestWhatIsLinked: programs link what they use. One that embeds the engine has neither
// authentication nor a client, store or driver; one that sends a personal access token
// has no network and no driver; one that brings its own store of tokens has no SQLite; one
// that talks to a platform links its client, and neither the engine nor a driver.
func TestWhatIsLinked(t *testing.T) {
	// A package, and what it may not link, by prefix.
	for name, without := range map[string][]string{
		"./engine":            {module + "/auth", module + "/adapters", "modernc.org/", "github.com/jackc/pgx", "database/sql", "net/http", "github.com/modelcontextprotocol"},
		"./examples/embed":    {module + "/auth", module + "/adapters", "modernc.org/", "github.com/jackc/pgx", "database/sql", "github.com/modelcontextprotocol"},
		"./httpadapter":       {"github.com/modelcontextprotocol"},
		"./adapters/platform": {module + "/adapters/memory", module + "/engine", module + "/resources", "modernc.org/", "database/sql", "github.com/BurntSushi/toml"},
		"./auth":              {module + "/adapters", "modernc.org/", "database/sql", "net/http", "golang.org/x/"},
		"./auth/profile":      {module + "/adapters", "modernc.org/", "database/sql", "net/http"},
		"./auth/oauth2":       {module + "/adapters", "modernc.org/", "database/sql", "github.com/BurntSushi/toml"},
	} {
		linked := strings.Fields(goList(t, "-deps", name))
		if len(linked) < 20 {
			t.Errorf("%s links %d packages only", name, len(linked))
		}
		for _, path := range linked {
			for _, prefix := range without {
				if strings.HasPrefix(path, prefix) {
					t.Errorf("%s links %s", name, path)
				}
			}
		}
	}
}
