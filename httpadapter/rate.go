package httpadapter

import (
	"math"
	"net/http"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/roget-health/roget/access"
)

// Rates bound how many requests a client may send. A client is who has been authenticated, or else an
// address; the addresses of an IPv6 network with 64 bits are one, because a client has all of them.
type Rates struct {
	// Requests is the number of requests a second; 0 means no limit. An entry of a batch or
	// transaction is a request too.
	Requests float64
	// Burst is the number of requests that a client who was idle may send at once; 0 means twice
	// Requests, at least 10.
	Burst int
	// FailedLogins is the number of times a minute that an address may send credentials that are not
	// valid; 0 means no limit. That many may come at once.
	FailedLogins int
}

// maxBuckets is the number of clients whose requests are counted. The one that was idle longest is
// forgotten first.
const maxBuckets = 50_000

// A rateKey is what requests are counted by.
type rateKey struct {
	issuer, subject, id string
	addr                netip.Addr // without a principal
}

// rateKeyOf returns the key of the client of a request.
func rateKeyOf(r *http.Request) rateKey {
	if p := access.PrincipalOf(r.Context()); p != nil {
		return rateKey{issuer: p.Issuer, subject: p.Subject, id: p.Client}
	}
	return rateKey{addr: clientNetwork(r)}
}

// clientNetwork returns the address of a client, or the network of 64 bits that has its IPv6 address.
func clientNetwork(r *http.Request) netip.Addr {
	addr := clientAddr(r)
	if addr.Is6() {
		network, err := addr.Prefix(64)
		if err == nil {
			return network.Addr()
		}
	}
	return addr
}

// buckets are the token buckets of clients. nil has no limit.
type buckets struct {
	perSecond float64
	burst     int
	now       func() time.Time
	table     *lru.Cache[rateKey, *bucket]
}

// newBuckets returns buckets with a rate, or nil if the rate is not positive.
func newBuckets(perSecond float64, burst int, now func() time.Time) (*buckets, error) {
	if perSecond <= 0 {
		return nil, nil
	}
	table, err := lru.New[rateKey, *bucket](maxBuckets)
	return &buckets{perSecond, burst, now, table}, err
}

// requestBuckets returns the buckets for the requests of clients.
func (r Rates) requestBuckets(now func() time.Time) (*buckets, error) {
	burst := r.Burst
	if burst <= 0 {
		burst = max(10, int(math.Ceil(2*r.Requests)))
	}
	return newBuckets(r.Requests, burst, now)
}

// loginBuckets returns the buckets for failed logins.
func (r Rates) loginBuckets(now func() time.Time) (*buckets, error) {
	return newBuckets(float64(r.FailedLogins)/60, r.FailedLogins, now)
}

// A bucket has the tokens of one client. Their number may be negative.
type bucket struct {
	mu      sync.Mutex
	limiter *rate.Limiter
}

// of returns the bucket of a client.
func (b *buckets) of(key rateKey) *bucket {
	if found, ok := b.table.Get(key); ok {
		return found
	}
	made := &bucket{limiter: rate.NewLimiter(rate.Limit(b.perSecond), b.burst)}
	if first, found, _ := b.table.PeekOrAdd(key, made); found {
		return first // another request was faster
	}
	return made
}

// look reports whether the bucket of a client has floor tokens, which are at most the burst, and if not
// how long the client should wait. It makes no bucket: a client without one has the whole burst.
func (b *buckets) look(key rateKey, floor int) (wait time.Duration, ok bool) {
	at, found := b.table.Peek(key)
	if !found {
		return 0, true
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	return b.missing(at, floor, b.now())
}

// missing reports whether a bucket that is locked has floor tokens, and if not how long until then.
func (b *buckets) missing(at *bucket, floor int, now time.Time) (wait time.Duration, ok bool) {
	if missing := float64(floor) - at.limiter.TokensAt(now); missing > 0 {
		return time.Duration(missing / b.perSecond * float64(time.Second)), false
	}
	return 0, true
}

// take takes n tokens, of which the bucket must have the first floor. The rest may be owed, so that
// a bundle with more entries than the burst is possible; the client then waits longer. If take
// fails, it takes nothing and returns how long the client should wait.
func (b *buckets) take(key rateKey, n, floor int) (wait time.Duration, ok bool) {
	at, now := b.of(key), b.now()
	at.mu.Lock()
	defer at.mu.Unlock()
	if wait, ok = b.missing(at, floor, now); !ok {
		return wait, false
	}
	for n > 0 { // the limiter reserves no more than the burst at once
		part := min(n, b.burst)
		at.limiter.ReserveN(now, part)
		n -= part
	}
	return 0, true
}
