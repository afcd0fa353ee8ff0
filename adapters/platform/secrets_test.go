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
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
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

// TestTokens: a personal access token that was minted works, and is shown once.
// Rows of docs/platform.md: 2.2.2.
func TestTokens(t *testing.T) {
	onMajors(t, func(t *testing.T, c *platform.Client, p *platformtest.Platform) {
		expire := time.Now().Add(time.Hour).Truncate(time.Millisecond)
		minted, err := c.Tokens().Mint(t.Context(), platform.NewToken{Code: "ci", Description: "for the pipeline", Expire: expire, AllowedMethods: []string{"GET", "POST"}})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"MethodAllowedList","allowedMethods":["GET","POST"]}],"code":"ci","description":"for the pipeline","expire":%d}`, expire.UnixMilli())
		if body := bodyOf(t, p, http.MethodPost); body != want {
			t.Errorf("sent %s, want %s", body, want)
		}
		text, err := json.Marshal(minted)
		if shown := fmt.Sprintf("%+v %s", minted, text); err != nil || strings.Contains(shown, minted.Value.Reveal()) || !strings.HasPrefix(minted.Value.Reveal(), "d2pat_") {
			t.Errorf("%s, %v", shown, err)
		}
		with, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(minted.Value), platform.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := with.Tokens().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(token platform.Token) bool { return token.ID == minted.UID })
		if i < 0 || list[i].Code != "ci" || !minted.Expire.Equal(expire) || list[i].Expire != expire.UnixMilli() || list[i].CreatedBy.ID != platformtest.UserID || list[i].Attributes[0].AllowedMethods[1] != "POST" {
			t.Errorf("%+v", list)
		}
		if err := with.Datastore().Delete(t.Context(), "ns1", "k1"); err == nil {
			t.Error("the token may be used for DELETE")
		}
	})
}

func TestTokenRefusals(t *testing.T) {
	c, p := onDouble(t, platformtest.Options{})
	if _, err := c.Tokens().Mint(t.Context(), platform.NewToken{AllowedIPs: []string{"10.0.0.1"}, AllowedReferrers: []string{"https://a.example"}}); err != nil {
		t.Fatal(err)
	}
	if body := bodyOf(t, p, http.MethodPost); body != `{"type":"PERSONAL_ACCESS_TOKEN_V2","attributes":[{"type":"IpAllowedList","allowedIps":["10.0.0.1"]},{"type":"RefererAllowedList","allowedReferrers":["https://a.example"]}]}` {
		t.Errorf("sent %s", body)
	}
	p.Fault("/api/apiToken", platformtest.Fault{Times: 1, Status: 200, Body: `{"response":{"uid":"Tok00000001"}}`}, platformtest.Fault{Status: 403})
	if _, err := c.Tokens().Mint(t.Context(), platform.NewToken{}); err == nil || !strings.Contains(err.Error(), "the response has no token") {
		t.Errorf("an answer without a token: %v", err)
	}
	_, err := c.Tokens().Mint(t.Context(), platform.NewToken{})
	wantAPIError(t, err, http.StatusForbidden, "A test wants it so")
	_, err = c.Tokens().List(t.Context())
	wantAPIError(t, err, http.StatusForbidden, "A test wants it so")
}
