package keyring

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/internal/filelock"
	"github.com/roget-health/roget/auth/internal/privatefile"
)

// FileName is the name of the encrypted file beside the profiles of a scope.
const FileName = "tokens.sealed"

// ErrPassphrase is returned when the passphrase is wrong or the file is damaged.
var ErrPassphrase = errors.New("the passphrase is wrong, or the file is damaged; delete the file and log in again if the passphrase is lost")

// Limits of a file that is read.
const (
	maxFile    = 16 << 20
	maxTime    = 16
	maxMemory  = 1 << 20 // KiB
	maxThreads = 64
)

// sealed is the content of the file: the parameters with which Argon2id derives the key from the
// passphrase, and the tokens as JSON, encrypted with XChaCha20-Poly1305. New files have the
// parameters of the second recommended option of RFC 9106, section 4.
type sealed struct {
	Time    uint32 `json:"argon2id_time"`
	Memory  uint32 `json:"argon2id_memory_kib"`
	Threads uint8  `json:"argon2id_threads"`
	Salt    []byte `json:"salt"`
	Nonce   []byte `json:"nonce"`
	Tokens  []byte `json:"xchacha20poly1305"`
}

// header returns the parameters as text: the additional data that the encryption authenticates.
func (f *sealed) header() string {
	return fmt.Sprintf("%d %d %d %x", f.Time, f.Memory, f.Threads, f.Salt)
}

// File is an auth.TokenStore and auth.Locker in an encrypted file.
type File struct {
	path       string
	passphrase func(ctx context.Context) (auth.Secret, error)

	mu      sync.Mutex
	entered auth.Secret // the passphrase, once it was asked for
	keyOf   string      // header of the file that the cached key belongs to
	key     auth.Secret
}

var (
	_ auth.TokenStore = (*File)(nil)
	_ auth.Locker     = (*File)(nil)
)

// NewFile returns a store in an encrypted file. passphrase is called once, when the store first needs it.
// An empty passphrase is refused.
func NewFile(path string, passphrase func(ctx context.Context) (auth.Secret, error)) *File {
	return &File{path: path, passphrase: passphrase}
}

// Get returns the token of a key, or nil.
func (f *File) Get(ctx context.Context, key string) (*auth.OAuth2Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, tokens, err := f.read(ctx)
	if err != nil || tokens[key] == nil {
		return nil, err
	}
	return auth.ParseToken(tokens[key])
}

// Set stores a token and replaces the one before.
func (f *File) Set(ctx context.Context, key string, token *auth.OAuth2Token) error {
	text, err := auth.RevealToken(token)
	if err != nil {
		return err
	}
	return f.change(ctx, func(tokens map[string]json.RawMessage) bool {
		tokens[key] = text
		return true
	})
}

// Delete removes the token of a key, if there is one.
func (f *File) Delete(ctx context.Context, key string) error {
	return f.change(ctx, func(tokens map[string]json.RawMessage) bool {
		_, there := tokens[key]
		delete(tokens, key)
		return there
	})
}

// Lock waits for the lock of a key, a file beside the token file.
func (f *File) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return filelock.Lock(ctx, filelock.Key(f.path, "token "+key))
}

// Check reports by an error that the file cannot be read, or that there is no passphrase to write
// it with.
func (f *File) Check(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, _, err := f.read(ctx)
	if err == nil {
		_, err = f.derive(ctx, file)
	}
	return err
}

// Close forgets the passphrase and the key.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget()
	return nil
}

func (f *File) forget() { f.entered, f.key, f.keyOf = auth.Secret{}, auth.Secret{}, "" }

// change reads the tokens, changes them and writes them, under a lock that processes share.
func (f *File) change(ctx context.Context, apply func(tokens map[string]json.RawMessage) (changed bool)) error {
	unlock, err := filelock.Lock(ctx, filelock.Key(f.path, "file"))
	if err != nil {
		return err
	}
	defer unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	file, tokens, err := f.read(ctx)
	if err != nil || !apply(tokens) {
		return err
	}
	plain, err := json.Marshal(tokens)
	if err != nil {
		return err
	}
	key, err := f.derive(ctx, file)
	if err != nil {
		return err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return err
	}
	file.Nonce = random(aead.NonceSize())
	file.Tokens = aead.Seal(nil, file.Nonce, plain, []byte(file.header()))
	text, err := json.Marshal(file)
	if err == nil {
		err = privatefile.Write(f.path, append(text, '\n'))
	}
	return err
}

// read returns the file and its tokens, both empty if the file does not exist.
func (f *File) read(ctx context.Context) (*sealed, map[string]json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	tokens := map[string]json.RawMessage{}
	text, err := privatefile.Read(f.path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &sealed{Time: 3, Memory: 64 << 10, Threads: 4, Salt: random(16)}, tokens, nil
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := parseSealed(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.path, err)
	}
	key, err := f.derive(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, nil, err
	}
	plain, err := aead.Open(nil, file.Nonce, file.Tokens, []byte(file.header()))
	if err != nil || json.Unmarshal(plain, &tokens) != nil {
		f.forget()
		return nil, nil, fmt.Errorf("%s: %w", f.path, ErrPassphrase)
	}
	return file, tokens, nil
}

// parseSealed reads the encrypted file and checks that its parameters are within the limits.
func parseSealed(text []byte) (*sealed, error) {
	file := &sealed{}
	if json.Unmarshal(text, file) != nil ||
		file.Time < 1 || file.Time > maxTime || file.Memory < 8 || file.Memory > maxMemory || file.Threads < 1 || file.Threads > maxThreads ||
		len(file.Salt) < 16 || len(file.Nonce) != chacha20poly1305.NonceSizeX {
		return nil, errors.New("it is not a file with encrypted tokens; delete it and log in again")
	}
	return file, nil
}

// derive returns the key of a file, from the cache or from the passphrase.
func (f *File) derive(ctx context.Context, file *sealed) ([]byte, error) {
	if f.keyOf == file.header() {
		return []byte(f.key.Reveal()), nil
	}
	if f.entered.IsZero() {
		var err error
		if f.entered, err = f.passphrase(ctx); err != nil {
			return nil, err
		}
	}
	if f.entered.IsZero() {
		return nil, fmt.Errorf("%s: the passphrase is empty", f.path)
	}
	key := argon2.IDKey([]byte(f.entered.Reveal()), file.Salt, file.Time, file.Memory, file.Threads, chacha20poly1305.KeySize)
	f.key, f.keyOf = auth.NewSecret(string(key)), file.header()
	return key, nil
}

func random(size int) []byte {
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // never fails
	return bytes
}
