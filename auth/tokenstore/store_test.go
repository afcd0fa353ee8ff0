package tokenstore_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/storetest"
	"github.com/roget-health/roget/auth/tokenstore"
)

func open(folder string) storetest.Store {
	return tokenstore.New(filepath.Join(folder, tokenstore.FileName))
}

func TestMain(m *testing.M) { storetest.Main(m, open) }

// Rows of docs/platform.md: 2.2.6.
func TestContract(t *testing.T) { storetest.Contract(t, open) }

// TestProcesses refreshes one token from two processes, 1,000 times from each.
// Rows of docs/platform.md: 2.2.6.
func TestProcesses(t *testing.T) {
	times := 1000 // for each of two processes
	if testing.Short() {
		times = 50
	}
	storetest.Processes(t, times, open)
}

// TestSchema: the table of the platform toolkit, and the replacement of an older table.
// Rows of docs/platform.md: 2.2.6.
func TestSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c %41", tokenstore.FileName)
	store := tokenstore.New(path)
	token := &auth.OAuth2Token{AccessToken: auth.NewSecret("a"), ExpiresAt: 1.5}
	if err := store.Set(t.Context(), "k", token); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(t.Context(), "k"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	db, err := sql.Open("sqlite", "file:"+strings.NewReplacer("?", "%3f", "#", "%23", " ", "%20", "%", "%25").Replace(path))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var access string
	var refresh, base, client any
	var expires float64
	if err := db.QueryRow("SELECT access_token, refresh_token, expires_at, base_url, client_id FROM oauth2_tokens WHERE store_key = 'k'").
		Scan(&access, &refresh, &expires, &base, &client); err != nil || access != "a" || refresh != nil || expires != 1.5 || base != nil || client != nil {
		t.Errorf("row: %v, %v, %v, %v, %v, %v", access, refresh, expires, base, client, err)
	}
	for _, statement := range []string{
		"DROP TABLE oauth2_tokens",
		"CREATE TABLE oauth2_tokens (store_key TEXT PRIMARY KEY, access_token TEXT NOT NULL, refresh_token TEXT, expires_at REAL NOT NULL)",
		"INSERT INTO oauth2_tokens VALUES ('k', 'a', 'r', 1)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	again := tokenstore.New(path)
	defer again.Close()
	if got, err := again.Get(t.Context(), "k"); got != nil || err != nil {
		t.Errorf("a token without an identity: %v, %v", got, err)
	}
	if err := again.Set(t.Context(), "k", token); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), tokenstore.FileName)
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	store := tokenstore.New(path)
	if _, err := store.Get(t.Context(), "k"); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete it and log in again") {
		t.Errorf("%v", err)
	}
}
