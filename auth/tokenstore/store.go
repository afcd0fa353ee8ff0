// Package tokenstore stores OAuth2 tokens in an SQLite file that processes may share. Platform
// toolkit, section 1.6.2.
package tokenstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/filelock"
)

// FileName is the name of the token file beside the profile file of a scope.
const FileName = "tokens.sqlite"

// table creates the table. Older tables lack the columns base_url and client_id. They are dropped,
// because nothing says for which server their tokens are.
const table = `CREATE TABLE IF NOT EXISTS oauth2_tokens (
	store_key     TEXT PRIMARY KEY,
	access_token  TEXT NOT NULL,
	refresh_token TEXT,
	expires_at    REAL NOT NULL,
	base_url      TEXT,
	client_id     TEXT
)`

// A Store is an auth.TokenStore and auth.Locker in an SQLite file.
type Store struct {
	path string

	mu     sync.Mutex
	db     *sql.DB // nil until the first use
	closed bool
}

var (
	_ auth.TokenStore = (*Store)(nil)
	_ auth.Locker     = (*Store)(nil)
)

// New returns a store in a file. The file and its folder are created when the first token is stored,
// with access for the user only.
func New(path string) *Store { return &Store{path: path} }

// Get returns the token of a key, or nil.
func (s *Store) Get(ctx context.Context, key string) (*auth.OAuth2Token, error) {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil, ctx.Err()
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	var access string
	var refresh, base, client sql.NullString
	token := &auth.OAuth2Token{}
	err = db.QueryRowContext(ctx, "SELECT access_token, refresh_token, expires_at, base_url, client_id FROM oauth2_tokens WHERE store_key = ?", key).
		Scan(&access, &refresh, &token.ExpiresAt, &base, &client)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	token.AccessToken, token.RefreshToken = auth.NewSecret(access), auth.NewSecret(refresh.String)
	token.BaseURL, token.ClientID = base.String, client.String
	return token, nil
}

// Set stores a token and replaces the one before.
func (s *Store) Set(ctx context.Context, key string, token *auth.OAuth2Token) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "INSERT OR REPLACE INTO oauth2_tokens (store_key, access_token, refresh_token, expires_at, base_url, client_id) VALUES (?, ?, ?, ?, ?, ?)",
		key, token.AccessToken.Reveal(), null(token.RefreshToken.Reveal()), token.ExpiresAt, null(token.BaseURL), null(token.ClientID))
	return s.failed(ctx, err)
}

// Delete removes the token of a key, if there is one.
func (s *Store) Delete(ctx context.Context, key string) error {
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return ctx.Err()
	}
	db, err := s.open(ctx)
	if err == nil {
		_, err = db.ExecContext(ctx, "DELETE FROM oauth2_tokens WHERE store_key = ?", key)
	}
	return s.failed(ctx, err)
}

// Lock waits for the lock of a key, a file beside the token file.
func (s *Store) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return filelock.Lock(ctx, filelock.Key(s.path, key))
}

// Close closes the file. The store cannot be used afterwards.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	return s.db.Close()
}

// open opens the file on first use.
func (s *Store) open(ctx context.Context) (*sql.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%s: %w", s.path, fs.ErrClosed)
	}
	if s.db != nil {
		return s.db, nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	file.Close()
	if err := os.Chmod(s.path, 0o600); err != nil { // SQLite creates its journal with the same mode
		return nil, err
	}
	address, err := address(s.path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := prepare(ctx, db); err != nil {
		_ = db.Close()
		return nil, s.failed(ctx, err)
	}
	s.db = db
	return db, nil
}

// address returns the SQLite URI of a file. The settings wait for other processes, use a rollback
// journal because a write-ahead log does not work on network file systems, and overwrite deleted
// data.
func address(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") { // C:/...
		slashed = "/" + slashed
	}
	settings := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(DELETE)", "secure_delete(ON)"},
		"_txlock": {"immediate"},
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: settings.Encode()}).String(), nil
}

// prepare creates the table, and replaces an older one.
func prepare(ctx context.Context, db *sql.DB) error {
	const columns = "SELECT count(*), count(CASE WHEN name IN ('base_url', 'client_id') THEN 1 END) FROM pragma_table_info('oauth2_tokens')"
	var all, identity int
	if err := db.QueryRowContext(ctx, columns).Scan(&all, &identity); err != nil || identity == 2 {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, columns).Scan(&all, &identity); err != nil { // another process may have prepared the table
		return err
	}
	if all > 0 && identity < 2 {
		if _, err := tx.ExecContext(ctx, "DROP TABLE oauth2_tokens"); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("token store %s: %w; if the file is damaged, delete it and log in again", s.path, err)
}

func null(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
