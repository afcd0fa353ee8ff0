package bearer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/roget-health/roget/access"
)

const (
	// refreshEvery is the time between two looks at keys that nobody misses.
	refreshEvery = 5 * time.Minute
	// rereadEvery is the same for a file.
	rereadEvery = 5 * time.Second
	// maxFetch is the longest time of a fetch.
	maxFetch = 10 * time.Second
	// maxWaiting is the number of requests that may wait for keys.
	maxWaiting = 256
	// maxTried is the number of keys that are tried for a token that names none.
	maxTried = 8
)

// keys are the keys of an issuer. They are fetched again from time to time, and when a token names
// one that is not among them.
type keys struct {
	issuer  string
	fetch   func(ctx context.Context) (*keySet, error)
	log     *slog.Logger
	set     atomic.Pointer[keySet]
	waiting atomic.Int32
	retry   time.Duration // at least, between two fetches
	every   time.Duration // between fetches that nobody asked for
	order   sync.Mutex    // held during a fetch, so that the newest result stays

	mu   sync.Mutex
	last time.Time     // of the last fetch
	next chan struct{} // closed when the fetch in progress, or the next one, has ended; nil without one
	err  error         // of the last fetch
}

// A keySet is a JSON Web Key Set without the keys that cannot verify.
type keySet struct{ list []jose.JSONWebKey }

// current returns the keys, or nil if they have never been fetched.
func (k *keys) current() *keySet { return k.set.Load() }

// run fetches the keys until ctx ends.
func (k *keys) run(ctx context.Context) {
	for {
		wait := k.every
		if err := k.refresh(ctx); err != nil {
			wait = 10 * time.Second
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// refresh waits for a fetch that begins after the call. Calls at the same time share a fetch, and
// fetches are at least the time retry apart.
func (k *keys) refresh(ctx context.Context) error {
	if k.waiting.Add(1) > maxWaiting {
		k.waiting.Add(-1)
		return errors.New("too many requests wait for keys")
	}
	defer k.waiting.Add(-1)
	k.mu.Lock()
	done := k.next
	if done == nil {
		done = make(chan struct{})
		k.next = done
		pause := max(0, k.retry-time.Since(k.last))
		time.AfterFunc(pause, k.fetchNow)
	}
	k.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-done:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// fetchNow fetches the keys and ends the wait for them. Keys that cannot be fetched leave the last
// ones in use.
func (k *keys) fetchNow() {
	k.order.Lock()
	defer k.order.Unlock()
	k.mu.Lock()
	done := k.next
	k.next, k.last = nil, time.Now() // who comes from now on waits for the next fetch
	k.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), maxFetch)
	defer cancel()
	set, err := k.fetch(ctx)
	switch old := k.current(); {
	case err != nil:
		k.log.Warn("the keys of an issuer cannot be fetched", "issuer", k.issuer, "err", err)
	case old == nil || !old.equal(set):
		k.set.Store(set)
		k.log.Info("keys of an issuer", "issuer", k.issuer, "keys", len(set.list))
	}
	k.mu.Lock()
	k.err = err
	k.mu.Unlock()
	close(done)
}

func (s *keySet) equal(o *keySet) bool {
	if len(s.list) != len(o.list) {
		return false
	}
	for i := range s.list {
		a, errA := s.list[i].Thumbprint(thumbprint)
		b, errB := o.list[i].Thumbprint(thumbprint)
		if errA != nil || errB != nil || string(a) != string(b) || s.list[i].KeyID != o.list[i].KeyID || s.list[i].Algorithm != o.list[i].Algorithm {
			return false
		}
	}
	return true
}

var errSignature = errors.New("the signature of the token is not right")

// verify checks the signature of a token and returns the keys that did.
func (k *keys) verify(ctx context.Context, token *jwt.JSONWebToken, header jose.Header) (*keySet, error) {
	set := k.current()
	if set != nil {
		if known, err := set.verify(token, header); known {
			return set, err
		}
	}
	if err := k.refresh(ctx); err != nil {
		return nil, fmt.Errorf("%w: the keys of the issuer cannot be fetched", access.ErrUnavailable)
	}
	set = k.current()
	if known, err := set.verify(token, header); known {
		return set, err
	}
	return nil, errors.New("the token is signed with a key that its issuer does not have")
}

// verify checks the signature of a token. known is false if no key of the set can have made it.
// Keys and addresses in the header of the token are never used.
func (s *keySet) verify(token *jwt.JSONWebToken, header jose.Header) (known bool, err error) {
	err = errSignature
	for i, tried := 0, 0; i < len(s.list) && tried < maxTried; i++ {
		key := &s.list[i]
		if header.KeyID != "" && header.KeyID != key.KeyID || !makes(key, header.Algorithm) {
			continue
		}
		known = known || header.KeyID != ""
		tried++
		if token.Claims(key.Key) == nil {
			return true, nil
		}
	}
	return known, err
}
