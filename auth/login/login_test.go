package login_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	system "github.com/zalando/go-keyring"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/keyring"
	"github.com/roget-health/roget/auth/login"
	"github.com/roget-health/roget/auth/oauth2"
	"github.com/roget-health/roget/auth/profile"
	"github.com/roget-health/roget/auth/tokenstore"
)

const plant = "Sw0rdfish"

func resolved(t *testing.T) profile.Resolved {
	s := auth.NewSecret(plant)
	return profile.Resolved{Name: "prod", Folder: t.TempDir(), Profile: profile.Profile{
		BaseURL: "http://127.0.0.1:1/ctx", Auth: profile.OAuth2, ClientID: "c", ClientSecret: s, Scope: "ALL", RedirectURI: "http://localhost:0",
		Token: s, Password: s, Cookie: s, XSRFToken: s, Username: "ada",
	}}
}

// TestBuildAuth: sections 2.2 and 5 of the platform client, the builder of all kinds.
// Rows of docs/platform.md: 2.2.1, 2.2.7, 2.2.9.
func TestBuildAuth(t *testing.T) {
	for kind, want := range map[profile.Kind]string{profile.PAT: "*auth.PAT", profile.Basic: "*auth.Basic", profile.Session: "*auth.SessionCookie", profile.OAuth2: "*oauth2.Provider"} {
		p := resolved(t)
		p.Profile.Auth = kind
		if got, err := login.BuildAuth(p, login.Options{}); err != nil || fmt.Sprintf("%T", got) != want {
			t.Errorf("%s: %T, %v", kind, got, err)
		}
		if _, err := login.OAuth2(p, login.Options{}); (err == nil) != (kind == profile.OAuth2) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for field, change := range map[string]func(p *profile.Profile){
		"client_id":     func(p *profile.Profile) { p.ClientID = "" },
		"client_secret": func(p *profile.Profile) { p.ClientSecret = auth.Secret{} },
		"scope":         func(p *profile.Profile) { p.Scope = "" },
		"redirect_uri":  func(p *profile.Profile) { p.RedirectURI = "" },
		"auth":          func(p *profile.Profile) { p.Auth = "ldap" },
		"base_url":      func(p *profile.Profile) { p.BaseURL = "" },
		"token_store":   func(p *profile.Profile) { p.TokenStore = "memory" },
		"token":         func(p *profile.Profile) { p.Auth, p.Token = profile.PAT, auth.Secret{} },
	} {
		p := resolved(t)
		change(&p.Profile)
		_, err := login.BuildAuth(p, login.Options{})
		errs := []error{err, login.Login(t.Context(), p, login.Options{})}
		if field == "token_store" {
			_, err := login.OAuth2(p, login.Options{})
			errs = append(errs, err)
		}
		for _, err := range errs {
			var named *auth.FieldError
			if !errors.As(err, &named) || named.Field != field {
				t.Errorf("without %s: %v", field, err)
			}
		}
	}
}

// TestStore: the key of a profile, and the file beside the profiles.
// Rows of docs/platform.md: 2.2.4, 5.4, 5.5.
func TestStore(t *testing.T) {
	p := resolved(t)
	store, err := login.OpenStore(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	token := &auth.OAuth2Token{AccessToken: auth.NewSecret(plant), ExpiresAt: 1e12, BaseURL: p.Profile.BaseURL, ClientID: "c"}
	if err := store.Set(t.Context(), login.StoreKey("prod"), token); err != nil {
		t.Fatal(err)
	}
	again := tokenstore.New(filepath.Join(p.Folder, "tokens.sqlite"))
	defer again.Close()
	if got, err := again.Get(t.Context(), "profile:prod"); err != nil || !got.AccessToken.Equal(token.AccessToken) {
		t.Errorf("%v, %v", got, err)
	}
	provider, err := login.BuildAuth(p, login.Options{Store: again})
	if err != nil {
		t.Fatal(err)
	}
	if headers, err := provider.Headers(t.Context()); err != nil || headers["Authorization"] != "Bearer "+plant {
		t.Errorf("%v, %v", headers, err)
	}
}

// TestStores: each store that a profile may name keeps the token, in a place of its own.
// Rows of docs/platform.md: 2.2.6.
func TestStores(t *testing.T) {
	system.MockInit()
	t.Setenv(login.PassphraseVariable, "correct horse")
	p := resolved(t)
	key := login.StoreKey(p.Name)
	for i, kind := range profile.TokenStores() {
		p.Profile.TokenStore = kind
		store, err := login.OpenStore(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if got, err := store.Get(t.Context(), key); got != nil || err != nil {
			t.Errorf("%s has the token of another store: %v, %v", kind, got, err)
		}
		token := &auth.OAuth2Token{AccessToken: auth.NewSecret(plant), ExpiresAt: 1e12 + float64(i), BaseURL: p.Profile.BaseURL, ClientID: "c"}
		if err := store.Set(t.Context(), key, token); err != nil {
			t.Fatal(err)
		}
		provider, err := login.BuildAuth(p, login.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if headers, err := provider.Headers(t.Context()); err != nil || headers["Authorization"] != "Bearer "+plant {
			t.Errorf("%s: %v, %v", kind, headers, err)
		}
	}
	for name, mode := range map[string]os.FileMode{"tokens.sqlite": 0o600, "tokens.sealed": 0o600} {
		if info, err := os.Stat(filepath.Join(p.Folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestStoreIsCheckedFirst: nobody signs in if the token cannot be stored.
func TestStoreIsCheckedFirst(t *testing.T) {
	system.MockInitWithError(errors.New("locked"))
	t.Setenv(login.PassphraseVariable, "")
	for kind, want := range map[profile.TokenStore]string{
		profile.Keyring: "the keyring of the system cannot be used; store the tokens of the profile in a file: --token-store file: locked",
		profile.File:    "the tokens are encrypted; set PLATFORM_TOKEN_PASSPHRASE to their passphrase",
	} {
		p := resolved(t)
		p.Profile.TokenStore = kind
		err := login.Login(t.Context(), p, login.Options{OpenBrowser: func(context.Context, string) error {
			t.Error("a browser was opened")
			return nil
		}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestLoginNeedsServer: nobody is asked to sign in if no server answers.
func TestLoginNeedsServer(t *testing.T) {
	err := login.Login(t.Context(), resolved(t), login.Options{OpenBrowser: func(context.Context, string) error {
		t.Error("a browser was opened")
		return nil
	}})
	if !errors.Is(err, auth.ErrDiscovery) || !strings.Contains(err.Error(), "cannot reach http://127.0.0.1:1/ctx (is it running?)") {
		t.Errorf("%v", err)
	}
}

// holder has a value in an unexported field, where fmt does not call its methods.
type holder struct{ hidden any }

// TestNothingShowsSecrets formats, encodes, logs and panics with the values that the packages export.
// Every field for a secret has one.
// Rows of docs/platform.md: 2.2.5.
func TestNothingShowsSecrets(t *testing.T) {
	p, s := resolved(t), auth.NewSecret(plant)
	provider, err := login.OAuth2(p, login.Options{})
	if err != nil {
		t.Fatal(err)
	}
	session, err := auth.NewSessionCookie(s, s)
	if err != nil {
		t.Fatal(err)
	}
	token := auth.OAuth2Token{AccessToken: s, RefreshToken: s}
	sealed := keyring.NewFile(filepath.Join(p.Folder, keyring.FileName), func(context.Context) (auth.Secret, error) { return s, nil })
	store, err := login.OpenStore(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, each := range []auth.TokenStore{sealed, store} {
		if err := each.Set(t.Context(), login.StoreKey(p.Name), &token); err != nil {
			t.Fatal(err)
		}
	}
	registry, err := profile.Open(profile.Options{Folder: p.Folder, Home: p.Folder, Getenv: func(name string) string {
		return map[string]string{"PLATFORM_URL": "https://p.example", "PLATFORM_PAT": plant}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	entry, err := registry.Add(t.Context(), profile.Project, "prod", p.Profile, true)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := registry.Resolve("")
	if err != nil || raw.Profile.Token.Reveal() != plant {
		t.Fatal(err)
	}
	for _, value := range []any{
		s, &s, token, &token, p, &p, p.Profile, &p.Profile, p.Profile.Fields(), entry, raw, registry, provider, *session, session,
		auth.NewBasic("ada", s), auth.NewPAT(s), sealed, store, &holder{provider},
		[]any{token, p},
		oauth2.Config{ClientSecret: s, Store: sealed},
		login.Options{Store: store},
	} {
		shown := map[string]string{}
		for _, verb := range "vsqxXdp" {
			for _, flag := range []string{"", "+", "#"} {
				shown["%"+flag+string(verb)] = fmt.Sprintf("%"+flag+string(verb), value)
			}
		}
		text, _ := json.Marshal(value)
		shown["json"] = string(text)
		var out strings.Builder
		slog.New(slog.NewTextHandler(&out, nil)).Info("value", "value", value)
		slog.New(slog.NewJSONHandler(io.Writer(&out), nil)).Info("value", "value", value)
		shown["log"] = out.String()
		shown["error"] = fmt.Errorf("failed with %v", value).Error()
		func() {
			defer func() { shown["panic"] = fmt.Sprint(recover()) }()
			panic(value)
		}()
		for how, text := range shown {
			if strings.Contains(text, plant) || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", plant)) {
				t.Errorf("%T by %s: %s", value, how, text)
			}
		}
	}
}
