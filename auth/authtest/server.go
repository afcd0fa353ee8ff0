package authtest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/storage"
	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/adapters/platform/platformtest"
)

// The client, the user and the path of a server.
const (
	ClientID     = "toolkit"
	ClientSecret = "client-s3cret"
	Username     = platformtest.Username
	Password     = platformtest.Password
	ContextPath  = "/ctx"
)

// Switches make a server misbehave. The zero Switches make it behave.
type Switches struct {
	PlaintextSecret bool          // the client's record has its secret in plain text
	EmptySettings   bool          // the client's record has no settings: authorize answers 500
	NoLogin         bool          // oidc.oauth2.login.enabled is missing: authorize answers 500, before 2.42.5
	NoServer        bool          // oauth2.server.enabled is missing: all endpoints answer 404
	NoJWT           bool          // oidc.jwt.token.authentication.enabled is missing: the web API accepts no tokens, before 2.42.5
	WrongIssuer     bool          // server.base.url is wrong: tokens have another issuer
	WrongState      bool          // redirects carry another state
	NoCode          bool          // redirects carry no code
	UsedCode        bool          // redirects carry a code that was used before
	NoRefresh       bool          // the token endpoint issues no refresh token
	TokenHTML       bool          // the token endpoint answers with HTML
	TokenStatus     int           // the token endpoint answers with this status only
	TokenSlash      bool          // the token endpoint redirects to itself with a slash, 301
	DiscoveryHTML   bool          // discovery answers with HTML
	CodeLifetime    time.Duration // of authorization codes; 300 s if 0
	TokenLifetime   time.Duration // of access tokens; 300 s if 0
	RefreshLifetime time.Duration // of refresh tokens; 3600 s if 0
}

// A Server is a running server. Below its base URL are the endpoints of OAuth2 and the whole platform
// double, which accepts the tokens. Clients that are registered there may log in.
type Server struct {
	URL      string
	Platform *platformtest.Platform

	oauth2  fosite.OAuth2Provider
	config  *fosite.Config
	storage *storage.MemoryStore
	client  *fosite.DefaultClient
	rules   platformtest.Rules

	mu       sync.Mutex
	key      *rsa.PrivateKey // signs tokens
	starts   int             // how often the server has started
	switches Switches
	requests []string
}

// Start runs a server until the test ends. Its client has the given redirect URIs; those on 127.0.0.1
// match any port.
func Start(t testing.TB, redirectURIs ...string) *Server {
	t.Helper()
	return StartPlatform(t, platformtest.Options{}, redirectURIs...)
}

// StartPlatform runs a server in front of a platform double with options, of which it sets ContextPath
// and Claims. Its rules are those of the platform's version: releases of major 41 have no OAuth2 endpoints.
func StartPlatform(t testing.TB, options platformtest.Options, redirectURIs ...string) *Server {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(ClientSecret), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{storage: storage.NewMemoryStore()}
	s.Restart(t)
	s.client = &fosite.DefaultClient{
		ID: ClientID, Secret: hash, RedirectURIs: redirectURIs, Scopes: []string{"ALL"},
		ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"},
	}
	options.ContextPath = ContextPath
	options.Claims = func(token string) (platformtest.Claims, error) {
		if s.current().NoJWT && !s.rules.OwnProvider {
			return nil, errors.New("tokens are not accepted")
		}
		return s.keysOf(s.URL).Claims(token)
	}
	s.Platform = platformtest.Unstarted(options)
	s.rules = s.Platform.Rules()
	s.client.Scopes = s.scopes()
	s.config = &fosite.Config{
		ScopeStrategy: fosite.ExactScopeStrategy, EnforcePKCE: true, RefreshTokenScopes: []string{},
		GlobalSecret: []byte(rand.Text() + rand.Text()), ClientSecretsHasher: &hasher{BCrypt: fosite.BCrypt{Config: &fosite.Config{}}},
	}
	tokens := compose.NewOAuth2JWTStrategy(func(context.Context) (any, error) { key, _ := s.signer(); return key, nil }, compose.NewOAuth2HMACStrategy(s.config), s.config)
	s.oauth2 = compose.Compose(s.config, clients{s.storage, s}, tokens,
		compose.OAuth2AuthorizeExplicitFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OAuth2PKCEFactory)
	running := httptest.NewServer(s.handler())
	t.Cleanup(running.Close)
	s.URL = running.URL + ContextPath
	s.Platform.URL = s.URL
	s.Set(Switches{})
	return s
}

// Set replaces the switches.
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
}

// Restart makes the server forget its signing keys, as the platform does at a restart unless a keystore is
// configured: it refuses the tokens it signed before (V10).
func (s *Server) Restart(t testing.TB) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.starts = key, s.starts+1
}

func lifetime(given, fallback time.Duration) time.Duration {
	if given != 0 {
		return given
	}
	return fallback
}

// RevokeRefreshTokens invalidates all refresh tokens.
func (s *Server) RevokeRefreshTokens(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.storage.RefreshTokenRequestIDs {
		if err := s.storage.RevokeRefreshToken(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
}

// Requests returns the OAuth2 requests so far: method and path below the base URL, and the grant type
// for the token endpoint. Platform records the requests of the web API.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *Server) current() Switches {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.switches
}

// handler routes requests. Paths that are not OAuth2 endpoints go to the platform double.
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
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(method+" "+ContextPath+path, http.StripPrefix(ContextPath, s.logged(handle)))
	}
	mux.Handle("/", s.Platform.Handler())
	return mux
}

// logged records a request. It answers 404 if the platform has no authorization server.
func (s *Server) logged(handle http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		note := r.Method + " " + r.URL.Path
		if grant := r.PostFormValue("grant_type"); grant != "" {
			note += " " + grant
		}
		s.mu.Lock()
		s.requests = append(s.requests, note)
		s.mu.Unlock()
		if !s.rules.OAuth2 || s.current().NoServer {
			http.NotFound(w, r)
			return
		}
		handle(w, r)
	})
}
