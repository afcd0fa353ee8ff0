package keyring_test

import (
	"bytes"
	"context"
	"errors"
	"os"
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
	system.MockInit() // which is not for several goroutines: one store orders its calls
	store := keyring.NewSystem(t.TempDir())
	storetest.Contract(t, func(string) storetest.Store { return store })
}

// Rows of docs/platform.md: 2.2.6.
func TestFileContract(t *testing.T) { storetest.Contract(t, openFile) }

// TestFileProcesses: two processes share a file that each writes as a whole.
// Rows of docs/platform.md: 2.2.6.
func TestFileProcesses(t *testing.T) {
	times := 30
	if testing.Short() {
		times = 5
	}
	storetest.Processes(t, times, openFile)
}

// TestNoKeyring: the error names the way out.
func TestNoKeyring(t *testing.T) {
	system.MockInitWithError(errors.New("dbus-launch: not found"))
	store := keyring.NewSystem(t.TempDir())
	_, err := store.Get(t.Context(), "k")
	for _, err := range []error{err, store.Set(t.Context(), "k", &auth.OAuth2Token{}), store.Delete(t.Context(), "k")} {
		if !errors.Is(err, keyring.ErrUnavailable) || !strings.Contains(err.Error(), "keep tokens in a file instead: dbus-launch") {
			t.Errorf("%v", err)
		}
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
		t.Errorf("the file is open: %s, %v", text, err)
	}
	for name, store := range map[string]*keyring.File{"wrong": keyring.NewFile(path, passphrase("wrong horse")), "empty": keyring.NewFile(path, passphrase(""))} {
		_, err := store.Get(t.Context(), "profile:secretive")
		setErr := store.Set(t.Context(), "k", token)
		if err == nil || setErr == nil || name == "wrong" && !errors.Is(err, keyring.ErrPassphrase) {
			t.Errorf("%s passphrase: %v, %v", name, err, setErr)
		}
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
