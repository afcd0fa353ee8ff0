package main_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/catalogue"
	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/keyring"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
	"github.com/roget-health/roget/cliadapter"
)

// grown is the secret that grows in every field of what secretValues gives.
const grown = "Tr0ub4dor+plaintext"

// secretValues has a value of every exported type of the packages that hold credentials,
// with a secret in every field of that kind, by the name of the package and the type.
// Types without fields that a program could set come from their constructors.
func secretValues(t *testing.T) map[string]any {
	t.Helper()
	s := auth.NewSecret(grown)
	provider := made(oauth2.New(oauth2.Config{
		BaseURL: "http://127.0.0.1:1", ClientID: "c", ClientSecret: s, Scope: "ALL", RedirectURI: "http://localhost:0", Store: tokenstore.New("t"), StoreKey: "k",
	}))
	client := made(platform.New("http://127.0.0.1:1", provider, platform.Options{Pin: 42}))
	basic := made(platform.New("http://127.0.0.1:1", auth.NewBasic("ada", s), platform.Options{Pin: 41}))
	registry := made(profile.Open(profile.Options{Home: "/", Getenv: func(name string) string {
		return map[string]string{"PLATFORM_PAT": grown, "PLATFORM_PASSWORD": grown}[name]
	}}))
	_, refused := basic.System().Me(t.Context())
	values := map[string]any{
		"auth.Basic": auth.NewBasic("ada", s), "auth.PAT": auth.NewPAT(s), "auth.SessionCookie": made(auth.NewSessionCookie(s, s)),
		"auth.Secret": s, "oauth2.Provider": provider, "profile.Registry": registry, "tokenstore.Store": tokenstore.New("t"),
		"keyring.File":    keyring.NewFile("f", func(context.Context) (auth.Secret, error) { return s, nil }),
		"platform.Client": client, "an error": fmt.Errorf("asking: %w", refused), "platform.System": basic.System(),
		"platform.Datastore": client.Datastore(), "platform.Settings": platform.Settings{},
		"cliadapter.CLI":    cliadapter.New(cliadapter.Config{Getenv: func(string) string { return grown }}),
		"cliadapter.Remote": cliadapter.NewRemote("host", nil),
		"platform.AppHub":   client.AppHub(), "platform.Apps": client.Apps(), "platform.Authorities": client.Authorities(),
		"platform.Configuration": client.Configuration(), "platform.Customize": client.Customize(), "platform.Metadata": client.Metadata(),
		"platform.OAuth2Clients": client.OAuth2Clients(), "platform.Routes": client.Routes(), "platform.Tokens": client.Tokens(),
		"platform.UserGroups": client.UserGroups(), "platform.UserRoles": client.UserRoles(), "platform.Users": client.Users(),
	}
	for _, empty := range []any{
		new(auth.Advice), new(auth.Anonymous), new(auth.FieldError), new(auth.FlowError), new(auth.OAuth2Token),
		new(oauth2.Config), new(oauth2.Discovery),
		new(profile.Entry), new(profile.ExistsError), new(profile.Field), new(profile.FileError), new(profile.InvalidNameError), new(profile.Kind),
		new(profile.NoProfileError), new(profile.Options), new(profile.Profile), new(profile.Resolved), new(profile.Scope), new(profile.Source), new(profile.TokenStore),
		new(profile.UnknownProfileError), new(profile.VersionMismatchError),
		new(login.Options), new(keyring.System),
		new(platform.APIError), new(platform.Access), new(platform.App), new(platform.AuthenticationError), new(platform.Conflict), new(platform.Extra),
		new(platform.Feature), new(platform.Found), new(platform.Grant), new(platform.HubApp), new(platform.HubVersion), new(platform.ImportCounts), new(platform.InstallTarget),
		new(platform.Invitation), new(platform.Job), new(platform.ListOptions), new(platform.ListShape), new(platform.LoginConfig), new(platform.Logo),
		new(platform.LookupError), new(platform.Major), new(platform.MintedToken), new(platform.NewToken), new(platform.OAuth2Client),
		new(platform.OIDCProvider), new(platform.Options), new(platform.PatchOperation), new(platform.Posture), new(platform.Preset),
		new(platform.Reference), new(platform.References), new(platform.Request), new(platform.Response), new(platform.RetryPolicy),
		new(platform.Route), new(platform.RouteAuth), new(platform.RouteCall), new(platform.Rules), new(platform.ScopeError), new(platform.SecuritySettings), new(platform.Setting),
		new(platform.Sharing), new(platform.SystemInfo), new(platform.Timestamp), new(platform.Token), new(platform.TokenAttribute),
		new(platform.Features), new(platform.TwoFactorSource), new(platform.UnsupportedVersionError), new(platform.User), new(platform.UserGroup),
		new(platform.UserRole), new(platform.Version), new(platform.VersionPinMismatchError), new(platform.VersionPosture), new(platform.WebMessage),
		new(catalogue.Catalogue), new(catalogue.Field), new(catalogue.FieldsUnknownError), new(catalogue.Found), new(catalogue.Library), new(catalogue.Source), new(catalogue.Store),
		new(catalogue.Type), new(catalogue.UnknownTypeError),
		new(cliadapter.OperationsOptions),
		new(cliadapter.BackedUp), new(cliadapter.BackupRequest), new(cliadapter.AuditOptions), new(cliadapter.AuditVerification), new(cliadapter.AuditVerified), new(cliadapter.Config), new(cliadapter.AccessIssuer), new(cliadapter.AccessOptions), new(cliadapter.Introspection), new(cliadapter.BoundsOptions), new(cliadapter.EdgeOptions), new(cliadapter.ExportOptions), new(cliadapter.LoadRequest), new(cliadapter.Loaded), new(cliadapter.MCPOptions), new(cliadapter.Platform), new(cliadapter.RateOptions), new(cliadapter.RestoreRequest), new(cliadapter.ServeOptions),
		new(cliadapter.Sources), new(cliadapter.StoreOptions), new(cliadapter.Streams), new(cliadapter.UsageError), new(cliadapter.Verified), new(cliadapter.VerifyRequest), new(cliadapter.Version),
	} {
		v := reflect.ValueOf(empty).Elem()
		grow(v, 0)
		values[v.Type().String()] = empty
	}
	return values
}

func made[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// grow puts the secret into every field for one, and something into all else.
func grow(v reflect.Value, depth int) {
	s := auth.NewSecret(grown)
	switch {
	case depth > 6 || !v.CanSet():
		return
	case v.Type() == reflect.TypeFor[auth.Secret]():
		v.Set(reflect.ValueOf(s))
		return
	case v.Type() == reflect.TypeFor[auth.Provider]():
		v.Set(reflect.ValueOf(auth.NewPAT(s)))
		return
	case v.Type() == reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New("it failed")))
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(`{}`))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			grow(v.Field(i), depth+1)
		}
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && strings.Contains(v.Type().Elem().PkgPath(), module) {
			v.Set(reflect.New(v.Type().Elem()))
			grow(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		grow(v.Index(0), depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		grow(key, depth+1)
		grow(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	}
}

// TestSecretsOfAllTypes: nothing that prints, encodes, logs or compares a value of a type
// of the packages that hold credentials shows a secret in it, and no panic with it does.
// Rows of docs/platform.md: 2.2.5.
func TestSecretsOfAllTypes(t *testing.T) {
	values := secretValues(t)
	if os.Getenv("ROGET_TEST_PANIC") != "" {
		panicWith(slices.Collect(maps.Values(values)))
	}
	for _, name := range exportedTypes(t, "auth", "auth/oauth2", "auth/profile", "auth/login", "auth/tokenstore", "auth/keyring", "adapters/platform", "adapters/platform/catalogue", "cliadapter") {
		if values[name] == nil {
			t.Errorf("%s is not among the values: put one into secretValues", name)
		}
	}
	secrets := 0
	for name, value := range values {
		var out bytes.Buffer
		for _, each := range []any{value, reflect.Indirect(reflect.ValueOf(value)).Interface(), []any{value}, map[string]any{"k": value}, struct{ hidden any }{value}} {
			for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%U", "%p", "%T", "% x"} {
				fmt.Fprintf(&out, format, each)
			}
			text, _ := json.Marshal(each)
			out.Write(text)
			text, _ = xml.Marshal(each)
			out.Write(text)
			_ = toml.NewEncoder(&out).Encode(each)
			slog.New(slog.NewTextHandler(&out, nil)).Error("it", "value", each)
			slog.New(slog.NewJSONHandler(&out, nil)).Error("it", "value", each)
			fmt.Fprintln(&out, fmt.Errorf("with %v", each))
		}
		_ = gob.NewEncoder(&out).Encode(value)
		if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct && !strings.Contains(fmt.Sprintf("%#v", value), "(func") {
			out.WriteString(cmp.Diff(value, reflect.New(v.Elem().Type()).Interface(), cmp.Exporter(func(reflect.Type) bool { return true })))
		}
		showsNothing(t, name, out.String())
		secrets += strings.Count(fmt.Sprintf("%+v", value), auth.NewSecret(grown).String())
	}
	if secrets < 20 {
		t.Errorf("there are %d masks only: the values have no secrets", secrets)
	}
	again := exec.Command(os.Args[0], "-test.run=^TestSecretsOfAllTypes$")
	again.Env = append(os.Environ(), "ROGET_TEST_PANIC=1", "GOTRACEBACK=system")
	said, err := again.CombinedOutput()
	if err == nil || bytes.Count(said, []byte("panic: ")) < len(values) {
		t.Errorf("a process that should have ended by %d panics: %v, %s", len(values), err, said)
	}
	showsNothing(t, "a panic", string(said))
}

// panicWith panics with one value after the other; the last panic tells all of them.
func panicWith(values []any) {
	if len(values) == 0 {
		return
	}
	defer panicWith(values[1:])
	panic(values[0])
}

func showsNothing(t *testing.T, what, text string) {
	t.Helper()
	for _, part := range []string{grown, grown[:8], "plaintext", hex.EncodeToString([]byte(grown)), strings.ToUpper(hex.EncodeToString([]byte(grown))), fmt.Sprintf("%d", []byte(grown))} {
		if i := strings.Index(text, part); i >= 0 {
			t.Errorf("%s shows %q: …%.300s", what, part, text[max(0, i-150):])
			return
		}
	}
}

// exportedTypes lists the exported types of packages of ours that are neither interfaces,
// functions nor aliases.
func exportedTypes(t *testing.T, folders ...string) (names []string) {
	t.Helper()
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", folder, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, is := n.(*ast.TypeSpec); is && spec.Name.IsExported() && !spec.Assign.IsValid() {
					switch spec.Type.(type) {
					case *ast.InterfaceType, *ast.FuncType:
					default:
						names = append(names, file.Name.Name+"."+spec.Name.Name)
					}
				}
				_, isFunction := n.(*ast.FuncDecl)
				return !isFunction
			})
		}
	}
	if len(names) < 80 {
		t.Errorf("only %d types are found", len(names))
	}
	return names
}
