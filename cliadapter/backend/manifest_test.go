package backend

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzManifest reads any bytes as the manifest of a backup. What is accepted names each file once, and
// none outside the folder, on any system.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		`{"format":1,"files":[{"name":"roget.db","size":1,"sha256":"00"},{"name":"packs/a.pack","size":2}]}`,
		`{"format":1,"files":[{"name":"packs/../../x.pack"}]}`, `{"format":1,"files":[{"name":"packs/a.pack"},{"name":"packs/A.pack"},{"name":"packs/a.pack"}]}`,
		`{"format":1,"files":[{"name":"roget.db","size":-1},{"name":"packs/a.pack","size":9223372036854775807},{"name":"packs/b.pack","size":9223372036854775807}]}`,
		`{"format":1,"files":[{"name":"packs/\u0000.pack"}]}`, `{"format":1,"files":[{"name":"packs/a.pack","size":9223372036854775807},{"name":"packs/b.pack","size":1}]}`,
		`{"format":2}`, `{"format":1,"files":[null]}`, `[]`, ``, `{"format":1,"files":[{"name":"packs/\u0000.pack"},{"name":"packs/C:x.pack"},{"name":"packs/con.json"}]}`,
	} {
		f.Add([]byte(seed))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(folder, manifestName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := readManifest(folder)
		if err != nil {
			if !strings.Contains(err.Error(), folder) {
				t.Errorf("the error names no file: %v", err)
			}
			return
		}
		seen := map[string]bool{}
		total := 0.0
		for _, file := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(file.Name)) || strings.ContainsAny(file.Name, "\\:\x00") || strings.Count(file.Name, "/") > 1 || seen[file.Name] || file.Size < 0 {
				t.Errorf("%q of %d bytes", file.Name, file.Size)
			}
			seen[file.Name] = true
			total += float64(file.Size)
		}
		if size := m.size(); size < 0 || math.Abs(float64(size)-total) > 1e-9*total {
			t.Errorf("%d bytes, want %g", size, total)
		}
	})
}
