package authn

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/roget-health/roget/access"
)

// tokenPrefix begins every static token, so that programs that look for leaked secrets find them.
const tokenPrefix = "roget_"

// A Token is an entry of a file of static tokens. It has the hash of the token only.
type Token struct {
	Name    string    `toml:"name" json:"name"`
	Hash    string    `toml:"sha256" json:"-"` // of the whole token, in hex
	Scopes  []string  `toml:"scopes,omitempty" json:"scopes,omitempty"`
	Patient string    `toml:"patient,omitempty" json:"patient,omitempty"`
	User    string    `toml:"user,omitempty" json:"user,omitempty"`
	Roles   []string  `toml:"roles,omitempty" json:"roles,omitempty"`
	Created time.Time `toml:"created,omitempty" json:"created,omitzero"`
	Expires time.Time `toml:"expires,omitempty" json:"expires,omitzero"` // the zero time: never
}

// NewToken returns a random token of 256 bits and its hash.
func NewToken() (token, hash string) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret[:])
	return token, hashOf(token)
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// A TokenFile is the content of a file of static tokens.
type TokenFile struct {
	Tokens []Token `toml:"token"`
}

// ReadTokens reads a file of static tokens. A file that does not exist has none.
func ReadTokens(path string) (*TokenFile, error) {
	content, _, err := ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return new(TokenFile), nil
	}
	if err != nil {
		return nil, err
	}
	return parseTokens(path, content)
}

// Write replaces the file at path at once. A new file has mode 0600; one that exists keeps its mode and
// its owner, because a server that can no longer read it would go on with tokens that were removed.
func (f *TokenFile) Write(path string) (err error) {
	var content bytes.Buffer
	content.WriteString("# Static tokens: SHA-256 hashes, not the tokens. roget token changes this file.\n\n")
	if err := toml.NewEncoder(&content).Encode(f); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temporary.Write(content.Bytes())
	if old, stat := os.Stat(path); stat == nil {
		err = errors.Join(err, keepOwner(temporary, old), temporary.Chmod(old.Mode().Perm()))
	}
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}

func parseTokens(path string, content []byte) (*TokenFile, error) {
	f := new(TokenFile)
	meta, err := toml.Decode(string(content), f)
	if err != nil {
		return nil, TOMLError(path, err)
	}
	unknown := meta.Undecoded()
	for _, key := range meta.Keys() { // the decoder ignores case, and mixes [[token]] with [[Token]]
		if text := key.String(); text != strings.ToLower(text) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("%s: unknown key %s; a file of tokens has [[token]] with name, sha256, scopes, patient, user, roles, created and expires", path, unknown[0])
	}
	for i := range f.Tokens {
		t := &f.Tokens[i]
		where := fmt.Sprintf("%s: token %d", path, i+1)
		if t.Name == "" {
			return nil, fmt.Errorf("%s has no name", where)
		}
		where += " (" + t.Name + ")"
		if sum, err := hex.DecodeString(t.Hash); err != nil || len(sum) != sha256.Size {
			return nil, fmt.Errorf("%s: sha256 is not the hash of a token in 64 hexadecimal digits; roget token add makes one", where)
		}
		t.Hash = strings.ToLower(t.Hash)
		if slices.ContainsFunc(f.Tokens[:i], func(o Token) bool { return o.Name == t.Name || o.Hash == t.Hash }) {
			return nil, fmt.Errorf("%s: another token has the same name or hash", where)
		}
		for _, text := range t.Scopes {
			if _, err := access.ParseScope(text); err != nil {
				return nil, fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	return f, nil
}

// TOMLError returns an error of reading TOML with the file and the line.
func TOMLError(path string, err error) error {
	if at, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("%s: line %d: %s", path, at.Position.Line, strings.TrimPrefix(at.Message, "toml: "))
	}
	return fmt.Errorf("%s: %w", path, err)
}
