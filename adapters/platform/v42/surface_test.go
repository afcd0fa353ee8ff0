package v42_test

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/v41"
	"github.com/roget-health/roget/adapters/platform/v42"
	"github.com/roget-health/roget/adapters/platform/v43"
	"github.com/roget-health/roget/auth"
)

// surface is what a package of a major declares, without comments and bodies, and with
// its number left out.
func surface(t *testing.T, major string) string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "../v"+major+"/v"+major+".go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if function, ok := d.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
	var out bytes.Buffer
	if err := printer.Fprint(&out, files, file); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), major, "<major>")
}

// TestSurface: Platform client, section 1: the same surface for each major.
// Rows of docs/platform.md: 7.13, 9.1, T7.1, T7.3.
func TestSurface(t *testing.T) {
	want := surface(t, "42")
	if !strings.Contains(want, "func Connect(") || !strings.Contains(want, "Client\t") {
		t.Fatal(want)
	}
	for _, major := range []string{"41", "43"} {
		if got := surface(t, major); got != want {
			t.Errorf("v%s declares\n%s\nand v42\n%s", major, got, want)
		}
	}
}

// TestPin: Platform client, section 9: supported majors 41, 42, 43.
// Rows of docs/platform.md: 9.1, T7.3.
func TestPin(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"version":"2.42.4"}`))
	}))
	defer server.Close()
	provider := auth.NewPAT(auth.NewSecret("t"))
	for want, of := range map[platform.Major]struct {
		connect func(context.Context, string, auth.Provider, platform.Options) (*platform.Client, error)
		create  func(string, auth.Provider, platform.Options) (*platform.Client, error)
	}{
		41: {v41.Connect, v41.New},
		42: {v42.Connect, v42.New},
		43: {v43.Connect, v43.New},
	} {
		c, err := of.create(server.URL, provider, platform.Options{Pin: 41})
		if err != nil {
			t.Fatal(err)
		}
		if major, err := c.Major(); major != want || err != nil {
			t.Errorf("%v: %v, %v", want, major, err)
		}
		_, err = of.connect(t.Context(), server.URL, provider, platform.Options{})
		var mismatch *platform.VersionPinMismatchError
		if errors.As(err, &mismatch) != (want != 42) {
			t.Errorf("%v: %v", want, err)
		}
	}
}
