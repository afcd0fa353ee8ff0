package authtest

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
	"golang.org/x/crypto/bcrypt"
)

// The clients of an OpaqueServer: one that gets tokens and a resource server that asks about them.
const (
	OpaqueClient   = "loader"
	OpaqueResource = "https://fhir.example/r4?a=b&c" // ids may have any characters
	OpaqueSecret   = "s3cret: + % &/=ü"
)

// An OpaqueServer is an authorization server whose tokens say nothing. Resource servers ask it about them
// (RFC 7662), and clients revoke them (RFC 7009).
type OpaqueServer struct {
	URL    string
	oauth2 fosite.OAuth2Provider
}

// StartOpaque runs a server until the test ends. Its tokens live for a time.
func StartOpaque(t testing.TB, lifetime time.Duration, audiences, scopes []string) *OpaqueServer {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(OpaqueSecret), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	store := storage.NewMemoryStore()
	for _, id := range []string{OpaqueClient, OpaqueResource} {
		store.Clients[id] = &fosite.DefaultClient{ID: id, Secret: hash, Scopes: scopes, Audience: audiences, GrantTypes: []string{"client_credentials"}}
	}
	config := &fosite.Config{
		ScopeStrategy: fosite.ExactScopeStrategy, GlobalSecret: []byte(rand.Text() + rand.Text()), AccessTokenLifespan: lifetime,
	}
	s := &OpaqueServer{oauth2: compose.Compose(config, store, compose.NewOAuth2HMACStrategy(config),
		compose.OAuth2ClientCredentialsGrantFactory, compose.OAuth2TokenIntrospectionFactory, compose.OAuth2TokenRevocationFactory)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /introspect", s.introspect)
	mux.HandleFunc("POST /revoke", func(w http.ResponseWriter, r *http.Request) {
		s.oauth2.WriteRevocationResponse(r.Context(), w, s.oauth2.NewRevocationRequest(r.Context(), r))
	})
	running := httptest.NewServer(mux)
	t.Cleanup(running.Close)
	s.URL = running.URL
	return s
}

// opaqueSession returns what the server knows about a token.
func (s *OpaqueServer) opaqueSession() *oauth2.JWTSession {
	return &oauth2.JWTSession{JWTClaims: &jwt.JWTClaims{Extra: map[string]any{"iss": s.URL, "roles": []string{"etl"}}}, ExpiresAt: map[fosite.TokenType]time.Time{}}
}

func (s *OpaqueServer) token(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	request, err := s.oauth2.NewAccessRequest(ctx, r, s.opaqueSession())
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	for _, scope := range request.GetRequestedScopes() {
		request.GrantScope(scope)
	}
	for _, audience := range slices.Clone(request.GetRequestedAudience()) {
		request.GrantAudience(audience)
	}
	response, err := s.oauth2.NewAccessResponse(ctx, request)
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	s.oauth2.WriteAccessResponse(ctx, w, request, response)
}

func (s *OpaqueServer) introspect(w http.ResponseWriter, r *http.Request) {
	ctx := context.WithoutCancel(r.Context())
	response, err := s.oauth2.NewIntrospectionRequest(ctx, r, s.opaqueSession())
	if err != nil {
		s.oauth2.WriteIntrospectionError(ctx, w, err)
		return
	}
	s.oauth2.WriteIntrospectionResponse(ctx, w, response)
}
