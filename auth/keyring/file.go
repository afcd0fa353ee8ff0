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

// ErrPassphrase reports whether the passphrase is wrong, or the file damaged.
var ErrPassphrase = errors.New("the passphrase is wrong, or the file is damaged; delete the file and log in again if the passphrase is lost")

// Limits of what is read.
const (
	maxFile    = 16 << 20
	maxTime    = 16
	maxMemory  = 1 << 20 // KiB
	maxThreads = 64
)

// sealed is the file: how the key is made of the passphrase, by Argon2id, and the tokens
// by key in JSON, encrypted with XChaCha20-Poly1305. The parameters of new files are the
// second recommended option of RFC 9106, section 4.
type sealed struct {
	Time    uint32 `json:"argon2id_time"`
	Memory  uint32 `json:"argon2id_memory_kib"`
	Threads uint8  `json:"argon2id_threads"`
	Salt    []byte `json:"salt"`
	Nonce   []byte `json:"nonce"`
	Tokens  []byte `json:"xchacha20poly1305"`
}

// header is what the encryption vouches for besides the tokens, and what a key is for.
func (f *sealed) header() string {
	return fmt.Sprintf("%d %d %d %x", f.Time, f.Memory, f.Threads, f.Salt)
}

// File is an auth.TokenStore and auth.Locker in an encrypted file.
type File struct {
	path       string
	passphrase func(ctx context.Context) (auth.Secret, error)

	mu    sync.Mutex
	keyOf string // header of the file whose key is held
	key   auth.Secret
}

var (
	_ auth.TokenStore = (*File)(nil)
	_ auth.Locker     = (*File)(nil)
)

// NewFile makes a store in an encrypted file. The passphrase is asked for when it is
// first needed; an empty one is refused.
func NewFile(path string, passphrase func(ctx context.Context) (auth.Secret, error)) *File {
	return &File{path: path, passphrase: passphrase}
}

// Get returns the token of a key, nil where there is none.
func (f *File) Get(ctx context.Context, key string) (*auth.OAuth2Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, tokens, err := f.read(ctx)
	if err != nil || tokens[key] == nil {
		return nil, err
	}
	return auth.ParseToken(tokens[key])
}

// Set stores a token in place of the one before.
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

// Lock waits for the lock of a key, which is a file beside the store's.
func (f *File) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return filelock.Lock(ctx, filelock.Key(f.path, "token "+key))
}

// change reads the tokens, changes them and writes them, while nobody else does.
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

// read reads the file; where there is none, it gives an empty one.
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
		f.key, f.keyOf = auth.Secret{}, ""
		return nil, nil, fmt.Errorf("%s: %w", f.path, ErrPassphrase)
	}
	return file, tokens, nil
}

// parseSealed reads the file as it lies there, and checks that its key can be made.
func parseSealed(text []byte) (*sealed, error) {
	file := &sealed{}
	if json.Unmarshal(text, file) != nil ||
		file.Time < 1 || file.Time > maxTime || file.Memory < 8 || file.Memory > maxMemory || file.Threads < 1 || file.Threads > maxThreads ||
		len(file.Salt) < 16 || len(file.Nonce) != chacha20poly1305.NonceSizeX {
		return nil, errors.New("it is not a file of encrypted tokens; delete it and log in again")
	}
	return file, nil
}

// derive makes the key of a file, and holds it.
func (f *File) derive(ctx context.Context, file *sealed) ([]byte, error) {
	if f.keyOf == file.header() {
		return []byte(f.key.Reveal()), nil
	}
	passphrase, err := f.passphrase(ctx)
	if err != nil {
		return nil, err
	}
	if passphrase.IsZero() {
		return nil, fmt.Errorf("%s: the passphrase is empty", f.path)
	}
	key := argon2.IDKey([]byte(passphrase.Reveal()), file.Salt, file.Time, file.Memory, file.Threads, chacha20poly1305.KeySize)
	f.key, f.keyOf = auth.NewSecret(string(key)), file.header()
	return key, nil
}

func random(size int) []byte {
	bytes := make([]byte, size)
	_, _ = rand.Read(bytes) // never fails
	return bytes
}
