package uiadapter

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/access"
)

// An Authenticator finds out who makes a request. httpadapter.Authenticator documents it.
type Authenticator interface {
	Authenticate(r *http.Request) (*access.Principal, error)
}

// Limits of sessions.
const (
	maxSessions   = 10_000
	sessionIdle   = 8 * time.Hour  // without a request
	sessionLife   = 24 * time.Hour // in all
	sessionCookie = "roget-session"
)

// Sessions remember who has signed in on the page. They keep credentials in memory and check them
// again with every request, so that a session ends when a token expires or is revoked. A browser has
// only a random number, in a cookie that scripts cannot read.
//
// Sessions are an authenticator of the server. They are safe for concurrent use.
type Sessions struct {
	others []Authenticator
	now    func() time.Time
	table  *lru.Cache[[sha256.Size]byte, *session]
}

// A session is a browser that has signed in.
type session struct {
	mu            sync.Mutex
	authorization string // header of that name
	signedIn      time.Time
	used          time.Time
	tokens        *tokens // nil without OAuth 2
}

// NewSessions returns an empty table of sessions, whose credentials the given authenticators check. now
// is the clock; nil means time.Now.
func NewSessions(now func() time.Time, others ...Authenticator) (*Sessions, error) {
	if now == nil {
		now = time.Now
	}
	table, err := lru.New[[sha256.Size]byte, *session](maxSessions)
	return &Sessions{others: others, now: now, table: table}, err
}

// start makes a session and sets its cookie. secure is true if the browser came over HTTPS.
func (s *Sessions) start(w http.ResponseWriter, authorization string, t *tokens, secure bool) {
	id := rand.Text()
	now := s.now()
	s.table.Add(sha256.Sum256([]byte(id)), &session{authorization: authorization, signedIn: now, used: now, tokens: t})
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode}) //nolint:gosec // Secure where there is HTTPS
}

// end forgets the session of a request and removes its cookie.
func (s *Sessions) end(w http.ResponseWriter, r *http.Request) {
	if key, found := sessionKey(r); found {
		s.table.Remove(key)
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode}) //nolint:gosec // holds nothing
}

// sessionKey returns the hash of the number in the cookie of a request.
func sessionKey(r *http.Request) (key [sha256.Size]byte, found bool) {
	c, err := r.Cookie(sessionCookie)
	if err != nil || c.Value == "" {
		return key, false
	}
	return sha256.Sum256([]byte(c.Value)), true
}

// Authenticate returns the principal of a session, or nil and nil for a request that has none: one that
// is not for a page, or whose session has ended.
func (s *Sessions) Authenticate(r *http.Request) (*access.Principal, error) {
	if !strings.HasPrefix(r.URL.Path, "/ui/") || r.Header["Authorization"] != nil {
		return nil, nil
	}
	key, found := sessionKey(r)
	if !found {
		return nil, nil
	}
	own, found := s.table.Get(key)
	if !found {
		return nil, nil
	}
	authorization, err := own.credentials(r.Context(), s.now())
	if err != nil {
		return s.over(key, err)
	}
	asking := r.Clone(r.Context())
	asking.Header = http.Header{"Authorization": {authorization}}
	for _, other := range s.others {
		p, err := other.Authenticate(asking)
		if err != nil {
			return s.over(key, err)
		}
		if p != nil {
			return p, nil
		}
	}
	return s.over(key, nil)
}

// over ends a session whose credentials are not valid any more. An error that wraps
// access.ErrUnavailable only refuses this request.
func (s *Sessions) over(key [sha256.Size]byte, err error) (*access.Principal, error) {
	if errors.Is(err, access.ErrUnavailable) {
		return nil, err
	}
	s.table.Remove(key)
	return nil, nil
}

var errSessionOver = errors.New("the session is over")

// credentials returns the header Authorization of a session, with a new token if that is about to
// expire.
func (s *session) credentials(ctx context.Context, now time.Time) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.used) > sessionIdle || now.Sub(s.signedIn) > sessionLife {
		return "", errSessionOver
	}
	s.used = now
	if s.tokens != nil {
		header, err := s.tokens.current(ctx, now)
		if err != nil {
			return "", err
		}
		s.authorization = header
	}
	return s.authorization, nil
}
