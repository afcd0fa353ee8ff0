package oauth2_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
)

const clientSecret = "client/S3cret&<x>"

// server is a small authorization server. It checks PKCE, accepts a code once and rotates refresh
// tokens. Tests may replace its handlers.
type server struct {
	*httptest.Server
	authorize, token, discovery http.HandlerFunc
	expiresIn                   string // JSON

	mu       sync.Mutex
	codes    map[string]string // code to challenge
	refresh  string            // the valid refresh token
	grants   []string          // grant types of the requests
	browsers int
}

func newServer(t *testing.T) *server {
	s := &server{codes: map[string]string{}, expiresIn: "300"}
	s.authorize, s.token, s.discovery = s.giveCode, s.giveToken, s.discover
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ctx/oauth2/authorize", func(w http.ResponseWriter, r *http.Request) { s.authorize(w, r) })
	mux.HandleFunc("POST /ctx/oauth2/token", func(w http.ResponseWriter, r *http.Request) { s.token(w, r) })
	mux.HandleFunc("GET /ctx/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) { s.discovery(w, r) })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *server) base() string { return s.URL + "/ctx" }

func (s *server) giveCode(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || len(q.Get("state")) < 22 {
		http.Error(w, "no PKCE or state", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	code := fmt.Sprintf("code-%d", len(s.codes))
	s.codes[code] = q.Get("code_challenge")
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (s *server) giveToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	grant := r.PostFormValue("grant_type")
	s.grants = append(s.grants, grant)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	challenge, known := s.codes[r.PostFormValue("code")]
	switch {
	case r.PostFormValue("client_secret") != clientSecret:
		refuse(w, 401, "invalid_client")
		return
	case grant == "authorization_code" && (!known || challenge != base64.RawURLEncoding.EncodeToString(sum[:])),
		grant == "refresh_token" && (s.refresh == "" || r.PostFormValue("refresh_token") != s.refresh):
		refuse(w, 400, "invalid_grant")
		return
	}
	delete(s.codes, r.PostFormValue("code"))
	s.refresh = fmt.Sprintf("refresh-%d", len(s.grants))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":"access-%d","refresh_token":%q,"token_type":"bearer","expires_in":%s}`, len(s.grants), s.refresh, s.expiresIn)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q,"error_description":"said by the server"}`, code)
}

func (s *server) discover(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"j"}`, s.base())
}

func (s *server) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.grants, " ")
}

// browse is a user with a browser.
func (s *server) browse(ctx context.Context, address string) error {
	s.mu.Lock()
	s.browsers++
	s.mu.Unlock()
	go func() {
		request, _ := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, address, nil)
		if answer, err := http.DefaultClient.Do(request); err == nil {
			answer.Body.Close()
		}
	}()
	return nil
}

// memory is a store in memory.
type memory struct {
	mu     sync.Mutex
	tokens map[string]*auth.OAuth2Token
	sets   int
	fail   error
}

func (m *memory) Get(_ context.Context, key string) (*auth.OAuth2Token, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tokens[key], m.fail
}

func (m *memory) Set(_ context.Context, key string, token *auth.OAuth2Token) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.tokens[key], m.sets = token, m.sets+1
	}
	return m.fail
}

func (m *memory) stored(key string) *auth.OAuth2Token {
	token, _ := m.Get(context.Background(), key)
	return token
}

// clock is the time of the provider.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// setting is a provider with its surroundings.
type setting struct {
	*server
	*memory
	*clock
	notice *notice
	config oauth2.Config
}

type notice struct {
	mu   sync.Mutex
	text strings.Builder
	wake chan string // receives what is written, if not nil
}

func (n *notice) Write(text []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.wake != nil {
		n.wake <- string(text)
	}
	return n.text.Write(text)
}

func (n *notice) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func newSetting(t *testing.T) *setting {
	t.Setenv(oauth2.NoBrowserVariable, "")
	s := &setting{newServer(t), &memory{tokens: map[string]*auth.OAuth2Token{}}, &clock{now: time.Unix(1_800_000_000, 0)}, &notice{}, oauth2.Config{}}
	s.config = oauth2.Config{
		BaseURL: s.base() + "/", ClientID: "c1", ClientSecret: auth.NewSecret(clientSecret), RedirectURI: "http://localhost:0",
		Store: s.memory, OpenBrowser: s.browse, Notice: s.notice, Now: s.Now,
	}
	return s
}

func (s *setting) provider(t *testing.T) *oauth2.Provider {
	t.Helper()
	p, err := oauth2.New(s.config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (s *setting) key() string { return s.base() + ":c1" }

// bearer returns the access token in the header.
func bearer(t *testing.T, p auth.Provider) string {
	t.Helper()
	headers, err := p.Headers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(headers["Authorization"], "Bearer ")
}
