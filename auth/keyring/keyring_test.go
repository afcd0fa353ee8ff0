package keyring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	system "github.com/zalando/go-keyring"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/storetest"
	"github.com/roget-health/roget/auth/keyring"
)

func passphrase(text string) func(context.Context) (auth.Secret, error) {
	return func(context.Context) (auth.Secret, error) { return auth.NewSecret(text), nil }
}

func openFile(folder string) storetest.Store {
	return keyring.NewFile(filepath.Join(folder, keyring.FileName), passphrase("correct horse"))
}

func TestMain(m *testing.M) { storetest.Main(m, openFile) }

// Rows of docs/platform.md: 2.2.6.
func TestSystemContract(t *testing.T) {
	system.MockInit() // which is not safe for concurrent use: one store serializes its calls
	store := keyring.NewSystem(t.TempDir())
	storetest.Contract(t, func(string) storetest.Store { return store })
}

// Rows of docs/platform.md: 2.2.6.
func TestFileContract(t *testing.T) { storetest.Contract(t, openFile) }

// TestFileProcesses: two processes share a file that each rewrites.
// Rows of docs/platform.md: 2.2.6.
func TestFileProcesses(t *testing.T) {
	times := 30
	if testing.Short() {
		times = 5
	}
	storetest.Processes(t, times, openFile)
}

// TestNoKeyring: the error says what to do instead.
func TestNoKeyring(t *testing.T) {
	system.MockInitWithError(&exec.Error{Name: "dbus-launch", Err: exec.ErrNotFound})
	store := keyring.NewSystem(t.TempDir())
	_, err := store.Get(t.Context(), "k")
	for _, err := range []error{err, store.Set(t.Context(), "k", &auth.OAuth2Token{}), store.Delete(t.Context(), "k")} {
		if !errors.Is(err, keyring.ErrUnavailable) || !strings.Contains(err.Error(), "--token-store file: there is no D-Bus session") {
			t.Errorf("%v", err)
		}
	}
}

// TestFoldersApart: profiles of the same name in two folders have a token each.
func TestFoldersApart(t *testing.T) {
	system.MockInit()
	one, two := keyring.NewSystem(t.TempDir()), keyring.NewSystem(t.TempDir())
	if err := one.Set(t.Context(), "profile:a", &auth.OAuth2Token{AccessToken: auth.NewSecret("x")}); err != nil {
		t.Fatal(err)
	}
	if got, err := two.Get(t.Context(), "profile:a"); got != nil || err != nil {
		t.Errorf("the token of another folder: %v, %v", got, err)
	}
}

// TestPassphraseIsAskedOnce: on first need, and again after Close.
func TestPassphraseIsAskedOnce(t *testing.T) {
	asked := 0
	store := keyring.NewFile(filepath.Join(t.TempDir(), keyring.FileName), func(context.Context) (auth.Secret, error) {
		asked++
		return auth.NewSecret("correct horse"), nil
	})
	if got, err := store.Get(t.Context(), "k"); got != nil || err != nil || asked != 0 {
		t.Errorf("without a file: %v, %v, asked %d times", got, err, asked)
	}
	for range 2 {
		if err := store.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := store.Set(t.Context(), "k", &auth.OAuth2Token{}); err != nil {
			t.Error(err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	store.Close()
	if _, err := store.Get(t.Context(), "k"); err != nil || asked != 2 {
		t.Errorf("after Close: %v, asked %d times", err, asked)
	}
}

func TestSealedFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, keyring.FileName)
	token := &auth.OAuth2Token{AccessToken: auth.NewSecret("Sw0rdfish"), RefreshToken: auth.NewSecret("Sw0rdfish")}
	if err := openFile(folder).Set(t.Context(), "profile:secretive", token); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte("Sw0rdfish")) || bytes.Contains(text, []byte("secretive")) {
		t.Errorf("the file is not encrypted: %s, %v", text, err)
	}
	random := map[string]string{} // salts and nonces that were used before
	for i, folder := range []string{folder, folder, t.TempDir()} {
		if i > 0 {
			err = openFile(folder).Set(t.Context(), "profile:secretive", token)
		}
		text, readErr := os.ReadFile(filepath.Join(folder, keyring.FileName))
		var file struct{ Salt, Nonce []byte }
		if err != nil || readErr != nil || json.Unmarshal(text, &file) != nil || len(file.Salt) < 16 || len(file.Nonce) != 24 {
			t.Fatalf("%s, %v", text, err)
		}
		if where := random[string(file.Salt)]; random[string(file.Nonce)] != "" || where != "" && where != folder {
			t.Errorf("not random: %s", text)
		}
		random[string(file.Salt)], random[string(file.Nonce)] = folder, folder
	}
	text, _ = os.ReadFile(path)
	gone := errors.New("nobody is there")
	for name, store := range map[string]*keyring.File{
		"wrong": keyring.NewFile(path, passphrase("wrong horse")), "empty": keyring.NewFile(path, passphrase("")),
		"no": keyring.NewFile(path, func(context.Context) (auth.Secret, error) { return auth.Secret{}, gone }),
	} {
		_, err := store.Get(t.Context(), "profile:secretive")
		setErr := store.Set(t.Context(), "k", token)
		if err == nil || setErr == nil || name == "wrong" && !errors.Is(err, keyring.ErrPassphrase) || errors.Is(err, gone) != (name == "no") {
			t.Errorf("%s passphrase: %v, %v", name, err, setErr)
		}
	}
	nobody := keyring.NewFile(filepath.Join(t.TempDir(), keyring.FileName), func(context.Context) (auth.Secret, error) { return auth.Secret{}, gone })
	if err := nobody.Set(t.Context(), "k", token); !errors.Is(err, gone) {
		t.Errorf("a new file without a passphrase: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, text) {
		t.Error("a wrong passphrase changed the file")
	}
	for name, damage := range map[string]string{
		"memory without bound": strings.Replace(string(text), "65536", "4294967295", 1),
		"less memory":          strings.Replace(string(text), "65536", "32768", 1),
		"no JSON":              "Sw0rdfish",
		"nothing":              "",
		"too long":             strings.Repeat(" ", 17<<20),
	} {
		if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openFile(folder).Get(t.Context(), "profile:secretive"); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "Sw0rdfish") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
