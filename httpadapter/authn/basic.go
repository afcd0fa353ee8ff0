package authn

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sync/semaphore"

	"github.com/roget-health/roget/access"
)

const (
	// maxVerified is the number of passwords that are remembered as right.
	maxVerified = 1024
	// maxWait is the longest wait until a password is verified.
	maxWait = 2 * time.Second
)

// Basic accepts the users of a file in the form of htpasswd, with bcrypt hashes.
type Basic struct {
	file     *watched[passwords]
	key      [32]byte // of this process; makes what is remembered useless elsewhere
	verified *lru.Cache[[sha256.Size]byte, *access.Principal]
	running  *semaphore.Weighted // bounds the processors that verify passwords
}

// OpenBasic returns the authenticator of a file of passwords. log receives what happens when the file
// changes; nil disables it.
func OpenBasic(path string, log *slog.Logger) (*Basic, error) {
	file, err := watch(path, log, parsePasswords)
	if err != nil {
		return nil, err
	}
	b := &Basic{file: file, running: semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2)))}
	_, _ = rand.Read(b.key[:]) // never fails
	b.verified, err = lru.New[[sha256.Size]byte, *access.Principal](maxVerified)
	return b, err
}

// Scheme returns the scheme of the credentials.
func (*Basic) Scheme() string { return "Basic" }

// Service returns the code of Basic in the code system restful-security-service.
func (*Basic) Service() (code, display string) { return "Basic", "Basic" }

// Authenticate returns the principal of a user with the right password. The user name is the subject.
// It has no scopes: a policy says what it may do.
func (b *Basic) Authenticate(r *http.Request) (*access.Principal, error) {
	if _, found := credentials(r, "Basic "); !found {
		return nil, nil
	}
	user, password, ok := r.BasicAuth()
	if !ok {
		return nil, errors.New("the credentials are not of the form user:password in base64")
	}
	file := b.file.get()
	hash, known := file.byUser[user]
	if !known || len(password) > maxPassword {
		hash, known = file.decoy, false
	}
	seen := b.digest(user, password, hash)
	if known {
		if p, found := b.verified.Get(seen); found {
			return p, nil
		}
	}
	wait, cancel := context.WithTimeout(r.Context(), maxWait)
	defer cancel()
	if err := b.running.Acquire(wait, 1); err != nil {
		return nil, fmt.Errorf("%w: too many passwords are being verified", access.ErrUnavailable)
	}
	err := bcrypt.CompareHashAndPassword(hash, []byte(password))
	b.running.Release(1)
	if err != nil || !known {
		return nil, errors.New("the user is not known, or the password is wrong")
	}
	p := &access.Principal{Subject: user, Issuer: b.file.path, Method: "basic"}
	b.verified.Add(seen, p)
	return p, nil
}

// digest returns what stands for a user, a password and the hash it was compared with. A changed
// hash makes another digest, so changed passwords are forgotten.
func (b *Basic) digest(user, password string, hash []byte) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, b.key[:])
	for _, part := range [][]byte{[]byte(user), []byte(password), hash} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	mac.Sum(sum[:0])
	return sum
}
