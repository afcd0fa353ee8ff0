package authtest

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"html/template"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
)

// SMARTClient is the public client of a SMARTServer.
const SMARTClient = "growth-chart"

// A SMARTServer is an authorization server for SMART App Launch 2: authorization code with S256, refresh,
// and a page on which the user selects a patient, who is then in the launch context.
type SMARTServer struct {
	URL string

	oauth2   fosite.OAuth2Provider
	config   *fosite.Config
	patients []string
	fhir     string
	renewals atomic.Int64

	mu     sync.Mutex
	key    *rsa.PrivateKey
	number int // of the key
}

// StartSMART runs a server until the test ends. Its tokens are for the FHIR server at fhir, and the
// scopes are what the client may ask for.
func StartSMART(t testing.TB, fhir, redirectURI string, scopes, patients []string) *SMARTServer {
	t.Helper()
	s := &SMARTServer{fhir: fhir, patients: patients}
	s.Rotate(t)
	store := storage.NewMemoryStore()
	store.Clients[SMARTClient] = &fosite.DefaultClient{
		ID: SMARTClient, Public: true, RedirectURIs: []string{redirectURI}, Scopes: scopes, Audience: []string{fhir},
		ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"},
	}
	config := &fosite.Config{
		ScopeStrategy: fosite.ExactScopeStrategy, EnforcePKCE: true, RefreshTokenScopes: []string{"offline_access"},
		GlobalSecret: []byte(rand.Text() + rand.Text()), AccessTokenLifespan: 5 * time.Minute,
	}
	s.config = config
	tokens := compose.NewOAuth2JWTStrategy(func(context.Context) (any, error) { key, _ := s.signer(); return key, nil }, compose.NewOAuth2HMACStrategy(config), config)
	s.oauth2 = compose.Compose(config, store, tokens,
		compose.OAuth2AuthorizeExplicitFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OAuth2PKCEFactory)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", s.discovery)
	mux.HandleFunc("GET /keys", s.keys)
	mux.HandleFunc("/authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	running := httptest.NewServer(mux)
	t.Cleanup(running.Close)
	s.URL = running.URL
	return s
}

// SetLifetime sets how long access tokens live, before a client asks for one; 5 minutes otherwise.
func (s *SMARTServer) SetLifetime(d time.Duration) { s.config.AccessTokenLifespan = d }

// Renewals returns how many access tokens were issued for refresh tokens.
func (s *SMARTServer) Renewals() int { return int(s.renewals.Load()) }

// Rotate replaces the key that signs tokens.
func (s *SMARTServer) Rotate(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.number = key, s.number+1
}

func (s *SMARTServer) signer() (*rsa.PrivateKey, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key, fmt.Sprintf("key-%d", s.number)
}

func (s *SMARTServer) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": s.URL, "jwks_uri": s.URL + "/keys", "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		"capabilities": []string{"launch-standalone", "client-public", "context-standalone-patient", "permission-offline", "permission-patient", "permission-v2"},
	})
}

func (s *SMARTServer) keys(w http.ResponseWriter, _ *http.Request) {
	key, id := s.signer()
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": id,
		"n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}}})
}

// picker is the page on which the user selects a patient.
var picker = template.Must(template.New("picker").Parse(`<!doctype html><title>Select a patient</title><form method="post">
{{range .}}<button name="patient" value="{{.}}">{{.}}</button>{{end}}</form>`))

func (s *SMARTServer) authorize(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	request, err := s.oauth2.NewAuthorizeRequest(ctx, r)
	if err == nil && r.FormValue("aud") != s.fhir {
		err = fosite.ErrInvalidRequest.WithHint("aud is not " + s.fhir)
	}
	if err != nil {
		s.oauth2.WriteAuthorizeError(ctx, w, request, err)
		return
	}
	patient := r.PostFormValue("patient")
	if !slices.Contains(s.patients, patient) {
		_ = picker.Execute(w, s.patients)
		return
	}
	for _, scope := range request.GetRequestedScopes() {
		request.GrantScope(scope)
	}
	request.GrantAudience(s.fhir)
	response, err := s.oauth2.NewAuthorizeResponse(ctx, request, &oauth2.JWTSession{
		JWTClaims: &jwt.JWTClaims{Subject: "ada", Issuer: s.URL, IssuedAt: time.Now(), Extra: map[string]any{"patient": patient, "client_id": SMARTClient}},
		JWTHeader: &jwt.Headers{Extra: map[string]any{}},
		ExpiresAt: map[fosite.TokenType]time.Time{}, Username: "ada", Subject: "ada",
	})
	if err != nil {
		s.oauth2.WriteAuthorizeError(ctx, w, request, err)
		return
	}
	s.oauth2.WriteAuthorizeResponse(ctx, w, request, response)
}

func (s *SMARTServer) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // browsers of public clients ask
	ctx := r.Context()
	if r.PostFormValue("grant_type") == "refresh_token" && !r.PostForm.Has("client_id") {
		r.PostForm.Set("client_id", SMARTClient) // fhirclient refreshes without it, and real servers know it from the token
	}
	request, err := s.oauth2.NewAccessRequest(ctx, r, new(oauth2.JWTSession))
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	session, _ := request.GetSession().(*oauth2.JWTSession)
	_, id := s.signer()
	session.JWTHeader = &jwt.Headers{Extra: map[string]any{"kid": id}}
	response, err := s.oauth2.NewAccessResponse(ctx, request)
	if err != nil {
		s.oauth2.WriteAccessError(ctx, w, request, err)
		return
	}
	if r.PostFormValue("grant_type") == "refresh_token" {
		s.renewals.Add(1)
	}
	response.SetExtra("patient", session.JWTClaims.Extra["patient"])
	s.oauth2.WriteAccessResponse(ctx, w, request, response)
}
