// Package bearer accepts tokens of authorization servers: JSON Web Tokens (RFC 7519, RFC 9068), whose
// keys come from a file, an address, or the discovery document of the issuer, and opaque tokens, about
// which it asks their issuer (RFC 7662).
package bearer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/httpadapter/authn"
)

const (
	// maxToken is the longest token in bytes.
	maxToken = 16 << 10
	// maxVerified is the number of tokens that are remembered as verified.
	maxVerified = 10_000
)

// algorithms are the signatures that are accepted. There is no none, and no HMAC, whose key could be a
// public key that was taken for a secret.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	}
}

// An Issuer is an authorization server whose tokens are accepted.
type Issuer struct {
	// URL is the claim iss.
	URL string
	// Keys is a file or an https address with a JSON Web Key Set. "" takes the address from the
	// discovery document of the issuer.
	Keys string
	// Audiences are the values of the claim aud that are accepted; a token needs one of them.
	Audiences []string
	// Roles are the claims with roles, such as roles, groups and realm_access.roles.
	Roles []string
}

// Options configure an Authenticator. Zero fields mean the defaults.
type Options struct {
	// Skew is the difference between clocks that is allowed; default 30 s.
	Skew time.Duration
	// Retry is the shortest time between two fetches of keys, however many tokens name keys that are
	// not known; default 2 s. A token with a new key waits that long.
	Retry time.Duration
	// Client fetches keys and discovery documents; nil means one with time limits.
	Client *http.Client
	// Logger receives what happens to keys; nil disables it.
	Logger *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Skew <= 0 {
		o.Skew = 30 * time.Second
	}
	if o.Retry <= 0 {
		o.Retry = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	return o
}

// An Authenticator accepts the tokens of some issuers. It is safe for concurrent use.
type Authenticator struct {
	clock
	issuers  map[string]*issuer
	order    []*issuer
	algs     []jose.SignatureAlgorithm
	verified *lru.Cache[[sha256.Size]byte, *verifiedToken]
}

type issuer struct {
	Issuer
	keys *keys
}

// A verifiedToken is the result of a verification. It holds as long as the keys are the same.
type verifiedToken struct {
	principal      *access.Principal
	issuer         *issuer
	set            *keySet
	certificate    string // hash of the client certificate that the token is bound to, "" if it is not
	from, deadline time.Time
}

// New returns an authenticator. It fetches no keys: Run does, and the first token.
func New(list []Issuer, o Options) (*Authenticator, error) {
	o = o.withDefaults()
	a := &Authenticator{clock: clock{o.Skew, o.Now}, issuers: map[string]*issuer{}, algs: algorithms()}
	for _, i := range list {
		switch {
		case i.URL == "":
			return nil, errors.New("an issuer has no address")
		case len(i.Audiences) == 0:
			return nil, fmt.Errorf("issuer %s: there is no audience, and tokens that are meant for other servers must not be accepted here", i.URL)
		case a.issuers[i.URL] != nil:
			return nil, fmt.Errorf("issuer %s is there twice", i.URL)
		}
		k, err := newKeys(i, o)
		if err != nil {
			return nil, err
		}
		a.issuers[i.URL] = &issuer{i, k}
		a.order = append(a.order, a.issuers[i.URL])
	}
	var err error
	a.verified, err = lru.New[[sha256.Size]byte, *verifiedToken](maxVerified)
	return a, err
}

// Run keeps the keys of all issuers fresh until ctx ends.
func (a *Authenticator) Run(ctx context.Context) {
	var group sync.WaitGroup
	for _, i := range a.order {
		group.Go(func() { i.keys.run(ctx) })
	}
	group.Wait()
}

// Scheme returns the scheme of the credentials.
func (*Authenticator) Scheme() string { return "Bearer" }

// Service returns the code of OAuth in the code system restful-security-service.
func (*Authenticator) Service() (code, display string) { return "OAuth", "OAuth" }

// Authenticate returns the principal of a token.
func (a *Authenticator) Authenticate(r *http.Request) (*access.Principal, error) {
	token, found := authn.BearerToken(r)
	if !found || strings.Count(token, ".") != 2 {
		return nil, nil
	}
	if len(token) > maxToken {
		return nil, fmt.Errorf("the token is longer than %d bytes", maxToken)
	}
	digest := sha256.Sum256([]byte(token))
	if v, found := a.verified.Get(digest); found && v.set == v.issuer.keys.current() {
		return v.use(r, a.clock)
	}
	v, err := a.verify(r.Context(), token)
	if err != nil {
		return nil, err
	}
	a.verified.Add(digest, v)
	return v.use(r, a.clock)
}

// use returns the principal of a token if the request may use it now.
func (v *verifiedToken) use(r *http.Request, c clock) (*access.Principal, error) {
	if err := c.valid(v.from, v.deadline); err != nil {
		return nil, err
	}
	if err := checkBinding(r, v.certificate); err != nil {
		return nil, err
	}
	return v.principal, nil
}

// A clock judges times that other clocks have made.
type clock struct {
	skew time.Duration
	now  func() time.Time
}

// valid returns an error if a token must not be used now. A zero deadline is none.
func (c clock) valid(from, deadline time.Time) error {
	now := c.now()
	switch {
	case !deadline.IsZero() && !now.Before(deadline.Add(c.skew)):
		return fmt.Errorf("the token %w", access.ErrExpired)
	case now.Before(from.Add(-c.skew)):
		return errors.New("the token is not valid yet")
	}
	return nil
}

var errMalformed = errors.New("the token is not a JSON Web Token that is signed with an accepted algorithm (RS, PS, ES, EdDSA)")

// verify checks a token that has not been seen before. What is cheap comes before signatures.
func (a *Authenticator) verify(ctx context.Context, token string) (*verifiedToken, error) {
	parsed, err := jwt.ParseSigned(token, a.algs)
	if err != nil || len(parsed.Headers) != 1 {
		return nil, errMalformed
	}
	header := parsed.Headers[0]
	if !acceptedType(header) {
		return nil, errors.New("the token is of a type that grants no access; an access token has the typ at+jwt or JWT")
	}
	if _, critical := header.ExtraHeaders["crit"]; critical {
		return nil, errors.New("the token has critical extensions, which this server does not know")
	}
	var unverified claims
	if err := parsed.UnsafeClaimsWithoutVerification(&unverified); err != nil {
		return nil, errMalformed
	}
	i := a.issuers[unverified.Issuer]
	if i == nil {
		return nil, errors.New("the issuer of the token is not accepted")
	}
	set, err := i.keys.verify(ctx, parsed, header)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	var c claims
	if err := parsed.UnsafeClaimsWithoutVerification(&c, &all); err != nil { // verified by now
		return nil, errMalformed
	}
	switch {
	case !slices.ContainsFunc(i.Audiences, c.Audience.Contains):
		return nil, errors.New("the token is meant for another audience")
	case c.Expiry == nil:
		return nil, errors.New("the token has no time of expiry")
	case c.Subject == "" && c.client() == "":
		return nil, errors.New("the token has no subject")
	}
	if err := c.checkPurpose(headerType(header) == accessType); err != nil {
		return nil, err
	}
	certificate, err := c.binding()
	if err != nil {
		return nil, err
	}
	v := &verifiedToken{principal: c.principal(i.Roles, all), issuer: i, set: set, certificate: certificate, deadline: c.deadline()}
	v.from = latest(c.NotBefore, c.IssuedAt)
	return v, a.valid(v.from, v.deadline)
}

// acceptedType reports whether the header typ is that of an access token (RFC 9068, section 2.1), or
// says no more than that it is a token. Others are made for other purposes.
func acceptedType(h jose.Header) bool {
	if _, given := h.ExtraHeaders[jose.HeaderType]; !given {
		return true
	}
	typ := headerType(h)
	return typ == accessType || typ == "jwt"
}

// accessType is the typ of access tokens (RFC 9068, section 2.1).
const accessType = "at+jwt"

// headerType returns the header typ in small letters without the prefix that may be left out (RFC 7515,
// section 4.1.9), "" if there is none.
func headerType(h jose.Header) string {
	typ, _ := h.ExtraHeaders[jose.HeaderType].(string)
	return strings.TrimPrefix(strings.ToLower(typ), "application/")
}
