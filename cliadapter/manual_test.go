package cliadapter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManualCommand: every command that does something has a page in the folder.
func TestManualCommand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man", "man1")
	if code, out, errs := run(t, nil, nil, "manual", folder); code != 0 || !strings.HasSuffix(out, " pages in "+folder+"\n") {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	for path := range leaves(t) {
		name := "roget-" + strings.ReplaceAll(path, " ", "-")
		page, err := os.ReadFile(filepath.Join(folder, name+".1"))
		if err != nil || !strings.Contains(string(page), ".SH \"NAME\"\n"+strings.ReplaceAll(name, "-", `\-`)+` \- `) {
			t.Errorf("%s: %v:\n%s", path, err, begun(string(page), 5))
		}
	}
}
