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
