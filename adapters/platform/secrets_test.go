package platform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/auth"
)

// holders returns the names of exported structs that have a secret in a field.
func holders(t *testing.T) (names []string) {
	t.Helper()
	sources, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			ast.Inspect(spec.Type, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Secret" {
					names = append(names, spec.Name.Name)
				}
				return true
			})
			return true
		})
	}
	return names
}

// TestSecretsAreNeverPrinted: Platform client, section 2.2: masked in texts, dumps, JSON,
// logs and panics, whatever type of the client holds them.
// Rows of docs/platform.md: 2.2.5.
func TestSecretsAreNeverPrinted(t *testing.T) {
	secret := auth.NewSecret("planted")
	named := map[string]auth.Secret{"planned": secret}
	credentials := platform.RouteAuth{Type: "http-basic", Password: secret, Token: secret, Headers: named, QueryParams: named, ClientSecret: secret}
	var unknown platform.RouteAuth
	if err := json.Unmarshal([]byte(`{"type":"of-tomorrow","secret":"planted"}`), &unknown); err != nil {
		t.Fatal(err)
	}
	client, err := platform.New("https://platform.example", auth.NewBasic("ada", secret), platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	values := []any{
		client, client.System(), credentials, unknown,
		platform.OAuth2Client{ClientSecret: secret},
		platform.MintedToken{Value: secret},
		platform.Request{Secrets: []auth.Secret{secret}},
		platform.Route{Auth: &credentials},
		platform.Route{Auth: &unknown},
	}
	covered := map[string]bool{}
	for _, value := range values {
		covered[strings.TrimPrefix(reflect.TypeOf(value).String(), "platform.")] = true
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb, value)
			fmt.Fprintf(&out, verb, &value)
			fmt.Fprintf(&out, verb, []any{value})
		}
		for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
			slog.New(handler).Info("text", "value", value)
		}
		if text, err := json.Marshal(value); err == nil {
			out.Write(text)
		}
		func() {
			defer func() { fmt.Fprint(&out, recover()) }()
			panic(fmt.Sprint(value))
		}()
		for _, form := range []string{"planted", fmt.Sprintf("%x", "planted"), fmt.Sprintf("%d", []byte("planted"))} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%T shows %q: %s", value, form, out.String())
			}
		}
	}
	found := holders(t)
	if len(found) < 4 {
		t.Errorf("types with secrets: %v", found)
	}
	for _, name := range found {
		if !covered[name] {
			t.Errorf("%s has a secret and is not tried", name)
		}
	}
}
