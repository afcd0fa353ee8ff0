package authn

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/roget-health/roget/access"
)

// Tokens accepts the static tokens of a file as Bearer tokens.
type Tokens struct {
	file *watched[tokenTable]
}

// tokenTable has the tokens of a file by hash.
type tokenTable struct {
	byHash map[[sha256.Size]byte]*staticToken
}

type staticToken struct {
	Token
	hash      [sha256.Size]byte
	principal *access.Principal
}

// OpenTokens returns the authenticator of a file of static tokens. log receives what happens when the
// file changes; nil disables it.
func OpenTokens(path string, log *slog.Logger) (*Tokens, error) {
	file, err := watch(path, log, newTokenTable)
	if err != nil {
		return nil, err
	}
	return &Tokens{file}, nil
}

func newTokenTable(path string, content []byte) (*tokenTable, error) {
	f, err := parseTokens(path, content)
	if err != nil {
		return nil, err
	}
	table := &tokenTable{make(map[[sha256.Size]byte]*staticToken, len(f.Tokens))}
	for _, t := range f.Tokens {
		s := &staticToken{Token: t, principal: &access.Principal{
			Subject: t.Name, Issuer: path, Method: "token", Scopes: t.Scopes, Patient: t.Patient, User: t.User, Roles: t.Roles,
		}}
		_, _ = hex.Decode(s.hash[:], []byte(t.Hash)) // parseTokens has checked it
		table.byHash[s.hash] = s
	}
	return table, nil
}

// Scheme returns the scheme of the credentials.
func (*Tokens) Scheme() string { return "Bearer" }

// Authenticate returns the principal of a static token. Its name is the subject.
func (t *Tokens) Authenticate(r *http.Request) (*access.Principal, error) {
	token, found := BearerToken(r)
	if !found || !IsStatic(token) {
		return nil, nil
	}
	hash := sha256.Sum256([]byte(token))
	have := t.file.get().byHash[hash] // how long this takes depends on the hash, which nobody can choose
	if have == nil || subtle.ConstantTimeCompare(have.hash[:], hash[:]) != 1 {
		return nil, errors.New("the token is not known")
	}
	if !have.Expires.IsZero() && !t.file.now().Before(have.Expires) {
		return nil, fmt.Errorf("the token %w", access.ErrExpired)
	}
	return have.principal, nil
}

// IsStatic reports whether a token has the form of those that NewToken makes.
func IsStatic(token string) bool { return strings.HasPrefix(token, tokenPrefix) }

// BearerToken returns the token of a request with the scheme Bearer.
func BearerToken(r *http.Request) (token string, found bool) { return credentials(r, "Bearer ") }

// credentials returns what follows a scheme, which has a blank at its end and is not case-sensitive.
func credentials(r *http.Request, scheme string) (string, bool) {
	values := r.Header["Authorization"]
	if len(values) != 1 || len(values[0]) < len(scheme) || !strings.EqualFold(values[0][:len(scheme)], scheme) {
		return "", false
	}
	return strings.TrimLeft(values[0][len(scheme):], " "), true
}
