package authtest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/storage"
	"golang.org/x/crypto/bcrypt"
)

// What a server starts with.
const (
	ClientID     = "toolkit"
	ClientSecret = "client-s3cret"
	Username     = "admin"
	Password     = "user-s3cret"
	ContextPath  = "/ctx"
)

// Switches are what a server does wrong. The zero Switches misbehave in nothing.
type Switches struct {
	PlaintextSecret bool          // the client's record has its secret in plain text
	EmptySettings   bool          // the client's record has no settings: authorize answers 500
	NoLogin         bool          // oidc.oauth2.login.enabled is missing: authorize answers 500
	NoServer        bool          // oauth2.server.enabled is missing: all answer 404
	WrongIssuer     bool          // server.base.url is wrong: tokens have another issuer
	WrongState      bool          // redirects bring back another state
	NoCode          bool          // redirects bring back no code
	NoRefresh       bool          // token answers have no refresh token
	TokenHTML       bool          // the token endpoint answers with a page
	TokenSlash      bool          // the token endpoint redirects to itself with a slash, 301
	DiscoveryHTML   bool          // discovery answers with a page
	CodeLifetime    time.Duration // of authorization codes; 300 s where 0
	TokenLifetime   time.Duration // of access tokens; 300 s where 0
	RefreshLifetime time.Duration // of refresh tokens; 3600 s where 0
}

// Server is a running server. Its base URL is URL.
type Server struct {
	URL string

	oauth2  fosite.OAuth2Provider
	config  *fosite.Config
	storage *storage.MemoryStore
	key     *rsa.PrivateKey
	client  *fosite.DefaultClient

	mu       sync.Mutex
	switches Switches
	requests []string
}

// Start runs a server until the test ends, with a client whose redirect URIs are given.
// Those on 127.0.0.1 hold for any port.
func Start(t testing.TB, redirectURIs ...string) *Server {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(ClientSecret), bcrypt.DefaultCost)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{key: key, storage: storage.NewMemoryStore()}
	s.client = &fosite.DefaultClient{
		ID: ClientID, Secret: hash, RedirectURIs: redirectURIs, Scopes: []string{"ALL"},
		ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"},
	}
	s.storage.Clients[ClientID] = s.client
	s.config = &fosite.Config{
		ScopeStrategy: fosite.ExactScopeStrategy, EnforcePKCE: true, RefreshTokenScopes: []string{},
		GlobalSecret: []byte(rand.Text() + rand.Text()), ClientSecretsHasher: &fosite.BCrypt{Config: &fosite.Config{}},
	}
	tokens := compose.NewOAuth2JWTStrategy(func(context.Context) (any, error) { return key, nil }, compose.NewOAuth2HMACStrategy(s.config), s.config)
	s.oauth2 = compose.Compose(s.config, s.storage, tokens,
		compose.OAuth2AuthorizeExplicitFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OAuth2PKCEFactory)
	running := httptest.NewServer(s.handler())
	t.Cleanup(running.Close)
	s.URL = running.URL + ContextPath
	s.Set(Switches{})
	return s
}

// Set turns switches, in place of those before.
func (s *Server) Set(switches Switches) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.switches = switches
	s.config.AuthorizeCodeLifespan = lifetime(switches.CodeLifetime, 300*time.Second)
	s.config.AccessTokenLifespan = lifetime(switches.TokenLifetime, 300*time.Second)
	s.config.RefreshTokenLifespan = lifetime(switches.RefreshLifetime, 3600*time.Second)
	s.config.RefreshTokenScopes = []string{}
	if switches.NoRefresh {
		s.config.RefreshTokenScopes = []string{"offline"}
	}
	hash := s.client.Secret
	if switches.PlaintextSecret {
		hash = []byte(ClientSecret)
	}
	client := *s.client
	client.Secret = hash
	s.storage.Clients[ClientID] = &client
}

func lifetime(given, fallback time.Duration) time.Duration {
	if given != 0 {
		return given
	}
	return fallback
}

// RevokeRefreshTokens makes all refresh tokens void.
func (s *Server) RevokeRefreshTokens(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.storage.RefreshTokenRequestIDs {
		if err := s.storage.RevokeRefreshToken(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
}

// Requests gives the requests so far: method and path below the base URL, the token
// endpoint's with the grant type.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *Server) turned() Switches {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.switches
}

// handler routes requests below the context path.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /.well-known/openid-configuration": s.discovery,
		"GET /oauth2/authorize":                 s.authorize,
		"POST /oauth2/authorize":                s.authorize,
		"POST /login":                           s.login,
		"POST /oauth2/token":                    s.token,
		"POST /oauth2/token/":                   s.token,
		"GET /oauth2/jwks":                      s.keys,
		"GET /userinfo":                         s.user,
		"GET /api/me":                           s.user,
	} {
		mux.HandleFunc(pattern, handle)
	}
	return http.StripPrefix(ContextPath, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		note := r.Method + " " + r.URL.Path
		if grant := r.PostFormValue("grant_type"); grant != "" {
			note += " " + grant
		}
		s.mu.Lock()
		s.requests = append(s.requests, note)
		s.mu.Unlock()
		if s.turned().NoServer && r.URL.Path != "/api/me" {
			http.NotFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}
