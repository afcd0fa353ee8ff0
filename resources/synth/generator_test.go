package synth_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/resources/validate"
)

// each generates resources of a type.
func each(t *testing.T, typ string, o synth.Options, count int, fn func(n int, body []byte)) {
	t.Helper()
	g, err := synth.New(typ, o)
	if err != nil {
		t.Fatal(err)
	}
	var buf []byte
	for n := range count {
		buf = g.Append(buf[:0], uint64(n))
		fn(n, buf)
	}
}

// many returns the number of resources to check: a tenth of n in short tests, which look for
// races.
func many(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Generated resources of every type are valid.
func TestValid(t *testing.T) {
	v := validate.New(definitions.R4())
	for _, typ := range synth.TypeNames() {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			each(t, typ, synth.Options{Seed: 1}, many(1000), func(n int, body []byte) {
				doc, err := document.Parse(body, r4.Limits{})
				if err != nil {
					t.Fatalf("%d: %v\n%s", n, err, body)
				}
				for _, issue := range v.Validate(doc) {
					if strings.HasPrefix(issue.Text, "dom-6: ") {
						continue // they have no narrative
					}
					t.Errorf("%d: %s: %s\n%s", n, issue.Expression, issue.Text, body)
				}
				if t.Failed() {
					t.FailNow()
				}
			})
		})
	}
}

// A resource depends only on seed, type and number.
func TestPure(t *testing.T) {
	for _, typ := range synth.TypeNames() {
		a, err := synth.New(typ, synth.Options{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		b, err := synth.New(typ, synth.Options{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		other, err := synth.New(typ, synth.Options{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		x := a.Append(a.Append(nil, 3), 5)[len(a.Append(nil, 3)):]
		if y := b.Append([]byte("x"), 5)[1:]; !bytes.Equal(x, y) {
			t.Errorf("%s: number 5 after others:\n%s\nalone:\n%s", typ, x, y)
		}
		if bytes.Equal(x, other.Append(nil, 5)) || bytes.Equal(x, a.Append(nil, 6)) {
			t.Errorf("%s: seed and number do not matter", typ)
		}
	}
}

// Errors name the invalid option.
func TestOptions(t *testing.T) {
	for _, row := range []struct {
		typ  string
		o    synth.Options
		want error
	}{
		{"Conditions", synth.Options{}, synth.ErrUnknownType},
		{"Condition", synth.Options{Values: map[string]string{"patient_reff": "Patient/1"}}, synth.ErrOption},
		{"Condition", synth.Options{Values: map[string]string{"patient_ref": "Practitioner/1"}}, synth.ErrOption},
		{"Condition", synth.Options{Values: map[string]string{"patient_ref": "Patient/"}}, synth.ErrOption},
		{"Condition", synth.Options{Codes: map[string][]synth.Coding{"Condition.kode": {{Code: "x"}}}}, synth.ErrOption},
		{"Condition", synth.Options{Codes: map[string][]synth.Coding{"Condition.code": nil}}, synth.ErrOption},
	} {
		if _, err := synth.New(row.typ, row.o); !errors.Is(err, row.want) {
			t.Errorf("%s %v: %v", row.typ, row.o, err)
		}
	}
	for range 20 { // of several mistakes, the error names the first in order
		_, err := synth.New("Condition", synth.Options{Values: map[string]string{"e": "", "c": "", "a": "", "b": "", "d": ""}})
		if err == nil || !strings.Contains(err.Error(), `"a"`) && !strings.Contains(err.Error(), " a") {
			t.Fatalf("the error is %v", err)
		}
	}
}

// Types and TypeNames list the same types, each with a line of documentation.
func TestTypes(t *testing.T) {
	names := synth.TypeNames()
	for i, typ := range synth.Types() {
		if typ.Name != names[i] || typ.Doc == "" {
			t.Errorf("type %d is %+v, and its name %s", i, typ, names[i])
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, typ := range synth.TypeNames() {
		b.Run(typ, func(b *testing.B) {
			g, err := synth.New(typ, synth.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var buf []byte
			for n := uint64(0); b.Loop(); n++ {
				buf = g.Append(buf[:0], n)
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}

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
