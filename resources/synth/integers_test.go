package synth_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The package uses only integers and texts: no floats, and no imports whose results differ
// between platforms, times or versions of Go (docs/decisions/0029).
func TestIntegersOnly(t *testing.T) {
	allowed := []string{
		"bufio", "bytes", "cmp", "context", "encoding/base64", "errors", "fmt", "io", "math/bits", "runtime", "slices", "strconv", "strings", "sync", "sync/atomic", "unicode/utf8",
		"github.com/roget-health/roget/resources/r4",
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			bad := ""
			switch n := n.(type) {
			case *ast.ImportSpec:
				if path := strings.Trim(n.Path.Value, `"`); !slices.Contains(allowed, path) {
					bad = "imports " + path
				}
			case *ast.BasicLit:
				if n.Kind == token.FLOAT || n.Kind == token.IMAG {
					bad = n.Value + " is no integer"
				}
			case *ast.Ident:
				if slices.Contains([]string{"float32", "float64", "complex64", "complex128"}, n.Name) {
					bad = n.Name
				}
			}
			if bad != "" {
				t.Errorf("%s: %s", set.Position(n.Pos()), bad)
			}
			return true
		})
	}
}
