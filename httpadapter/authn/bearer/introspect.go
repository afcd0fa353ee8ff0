package bearer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/httpadapter/authn"
)

const (
	// maxAsking is the number of tokens that an authorization server is asked about at once.
	maxAsking = 64
	// maxAnswer is the longest answer about a token in bytes.
	maxAnswer = 64 << 10
	// maxAsked is the longest time that a request waits for an answer.
	maxAsked = 5 * time.Second
)

// An Introspection is an authorization server that is asked about each token (RFC 7662), because the
// token itself says nothing.
type Introspection struct {
	// URL is the introspection endpoint.
	URL string
	// Client and SecretFile are the credentials with which this server asks. The file has the secret,
	// and is read again whenever the server asks.
	Client, SecretFile string
	// Audiences are the values of aud that are accepted; the answer must have one of them. Without any,
	// every active token is accepted.
	Audiences []string
	// Roles are the members of answers with roles, as in Issuer.
	Roles []string
	// Keep is how long an answer is used; default 10 s. A token that is revoked works that long.
	Keep time.Duration
}

// An Introspector accepts the tokens that an authorization server says are active. It is safe for
// concurrent use.
type Introspector struct {
	clock
	Introspection
	client *http.Client
	log    *slog.Logger
	// active has the tokens that were active when they were last asked about.
	active *lru.Cache[[sha256.Size]byte, *activeToken]
	// inactive has when others may be asked about again. It is a table of its own, so that nobody
	// displaces good tokens by sending many bad ones.
	inactive *lru.Cache[[sha256.Size]byte, time.Time]
	asking   singleflight.Group
	running  chan struct{} // has an element for each question
}

// An activeToken is an answer about a token that was active.
type activeToken struct {
	verifiedToken
	until time.Time // afterwards the server is asked again
}

// NewIntrospector returns an authenticator. It asks nothing yet, but reads the secret.
func NewIntrospector(i Introspection, o Options) (*Introspector, error) {
	o = o.withDefaults()
	if i.Keep <= 0 {
		i.Keep = 10 * time.Second
	}
	if err := checkAddress(i.URL); err != nil {
		return nil, fmt.Errorf("%s: %w", shown(i.URL), err)
	}
	if i.Client == "" {
		return nil, errors.New("there is no client, as which this server asks")
	}
	a := &Introspector{clock: clock{o.Skew, o.Now}, Introspection: i, client: o.Client, log: o.Logger, running: make(chan struct{}, maxAsking)}
	if _, err := a.secret(); err != nil {
		return nil, err
	}
	own := *o.Client // the credentials go nowhere else
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a.client = &own
	var err error
	if a.active, err = lru.New[[sha256.Size]byte, *activeToken](maxVerified); err != nil {
		return nil, err
	}
	a.inactive, err = lru.New[[sha256.Size]byte, time.Time](maxVerified)
	return a, err
}

// Scheme returns the scheme of the credentials.
func (*Introspector) Scheme() string { return "Bearer" }

// Service returns the code of OAuth in the code system restful-security-service.
func (*Introspector) Service() (code, display string) { return "OAuth", "OAuth" }

// Authenticate returns the principal of a token that is active. If the server cannot be asked, the
// error wraps access.ErrUnavailable.
func (a *Introspector) Authenticate(r *http.Request) (*access.Principal, error) {
	token, found := authn.BearerToken(r)
	if !found || authn.IsStatic(token) {
		return nil, nil
	}
	if len(token) > maxToken {
		return nil, fmt.Errorf("the token is longer than %d bytes", maxToken)
	}
	if strings.Trim(token, tokenLetters) != "" || token == "" {
		return nil, errors.New("the token has characters that tokens do not have")
	}
	digest := sha256.Sum256([]byte(token))
	now := a.now()
	known, _ := a.active.Get(digest)
	if known != nil && now.Before(known.until) {
		return known.use(r, a.clock)
	}
	if until, found := a.inactive.Get(digest); found && now.Before(until) {
		return nil, notActive(known != nil)
	}
	asked := a.asking.DoChan(string(digest[:]), func() (any, error) { return a.ask(digest, token) })
	select {
	case <-r.Context().Done():
		return nil, fmt.Errorf("%w: %w", access.ErrUnavailable, r.Context().Err())
	case answer := <-asked:
		if answer.Err != nil {
			return nil, answer.Err
		}
		fresh, _ := answer.Val.(*activeToken)
		if fresh == nil {
			return nil, notActive(known != nil)
		}
		return fresh.use(r, a.clock)
	}
}

// tokenLetters are the characters of tokens (RFC 6750, section 2.1).
const tokenLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// notActive returns the error for a token that is not active. One that was active before is no guess.
func notActive(before bool) error {
	if before {
		return fmt.Errorf("the token %w or was revoked", access.ErrExpired)
	}
	return errors.New("the token is not active")
}

// ask asks about a token and remembers the answer. It returns nil for a token that is not active.
func (a *Introspector) ask(digest [sha256.Size]byte, token string) (*activeToken, error) {
	select {
	case a.running <- struct{}{}:
		defer func() { <-a.running }()
	default:
		return nil, fmt.Errorf("%w: too many requests wait for the authorization server", access.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxAsked)
	defer cancel()
	content, err := a.post(ctx, token)
	if err == nil {
		var found *activeToken
		if found, err = a.read(content); err == nil {
			a.remember(digest, found)
			return found, nil
		}
	}
	if errors.Is(err, errNotForUs) {
		a.remember(digest, nil)
		return nil, err
	}
	a.log.Warn("the authorization server cannot be asked about a token", "url", a.URL, "err", err)
	return nil, fmt.Errorf("%w: the authorization server cannot be asked about the token", access.ErrUnavailable)
}

func (a *Introspector) remember(digest [sha256.Size]byte, found *activeToken) {
	if found == nil {
		a.inactive.Add(digest, a.now().Add(a.Keep))
		return
	}
	found.until = a.now().Add(a.Keep)
	a.active.Add(digest, found)
	a.inactive.Remove(digest)
}

// post returns the body of the answer about a token.
func (a *Introspector) post(ctx context.Context, token string) ([]byte, error) {
	secret, err := a.secret()
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth(url.QueryEscape(a.Client), url.QueryEscape(secret)) // RFC 6749, section 2.3.1
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("the response is %s: check the client and its secret", answer.Status)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the response is %s", answer.Status)
	case len(content) > maxAnswer:
		return nil, fmt.Errorf("the response is longer than %d bytes", maxAnswer)
	}
	return content, nil
}

// secret returns the secret of the client.
func (a *Introspector) secret() (string, error) {
	content, _, err := authn.ReadFile(a.SecretFile, maxAnswer)
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(content), "\r\n")
	if secret == "" || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s does not have one line with a secret", a.SecretFile)
	}
	return secret, nil
}

// errNotForUs is in the error for a token that is active and no access token for this server.
var errNotForUs = errors.New("not an access token for this server")

// read reads an answer. It returns nil for a token that is not active.
func (a *Introspector) read(content []byte) (*activeToken, error) {
	var answer struct {
		claims
		Active   bool   `json:"active"`
		Username string `json:"username"`
	}
	var all map[string]any
	err := json.Unmarshal(content, &answer)
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil {
		return nil, errors.New("the response is not JSON as RFC 7662 has it")
	}
	if !answer.Active {
		return nil, nil
	}
	if answer.Subject == "" {
		answer.Subject = answer.Username
	}
	if answer.Issuer == "" {
		answer.Issuer = a.URL
	}
	certificate, err := answer.binding()
	if purpose := answer.checkPurpose(false); err == nil {
		err = purpose
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNotForUs, err)
	case answer.TokenType != nil && answer.TokenType != "" && !answer.isBearer():
		return nil, fmt.Errorf("%w: its type is not Bearer", errNotForUs)
	case len(a.Audiences) > 0 && !slices.ContainsFunc(a.Audiences, answer.Audience.Contains):
		return nil, fmt.Errorf("%w: it is meant for another audience", errNotForUs)
	case answer.Subject == "" && answer.client() == "":
		return nil, fmt.Errorf("%w: it has no subject", errNotForUs)
	}
	found := &activeToken{verifiedToken: verifiedToken{principal: answer.principal(a.Roles, all), certificate: certificate, deadline: answer.deadline()}}
	found.principal.Method = "introspection"
	found.from = latest(answer.NotBefore, answer.IssuedAt)
	return found, nil
}

// latest returns the latest of some times, the zero time if there are none.
func latest(dates ...*jwt.NumericDate) (at time.Time) {
	for _, date := range dates {
		if date != nil && date.Time().After(at) {
			at = date.Time()
		}
	}
	return at
}
