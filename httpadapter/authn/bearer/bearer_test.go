package bearer_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
)

// The tokens of these tests are made with the standard library alone, so that a mistake of the library
// that reads them is not made twice.

type object = map[string]any

func part(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// signed returns a token.
func signed(header, claims object, key any) string {
	text := part(header) + "." + part(claims)
	digest := sha256.Sum256([]byte(text))
	var signature []byte
	var err error
	switch k := key.(type) {
	case *rsa.PrivateKey:
		if alg, _ := header["alg"].(string); strings.HasPrefix(alg, "PS") {
			signature, err = rsa.SignPSS(rand.Reader, k, crypto.SHA256, digest[:], nil)
		} else {
			signature, err = rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, digest[:])
		}
	case *ecdsa.PrivateKey:
		var r, s *big.Int
		if r, s, err = ecdsa.Sign(rand.Reader, k, digest[:]); err == nil {
			signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		}
	case ed25519.PrivateKey:
		signature = ed25519.Sign(k, []byte(text))
	case []byte:
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(text))
		signature = mac.Sum(nil)
	case nil:
	}
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// jwk returns the public key of a private one as a JSON Web Key.
func jwk(kid string, key crypto.Signer) object {
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	switch k := key.Public().(type) {
	case *rsa.PublicKey:
		return object{"kty": "RSA", "kid": kid, "use": "sig", "n": number(k.N), "e": "AQAB"}
	case *ecdsa.PublicKey:
		point, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		return object{"kty": "EC", "crv": "P-256", "kid": kid, "x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:])}
	case ed25519.PublicKey:
		return object{"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": base64.RawURLEncoding.EncodeToString(k)}
	}
	panic("unknown key")
}

// server is an issuer with a discovery document.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	keys    []object
	fetches atomic.Int32
	down    atomic.Bool
}

func (s *server) publish(keys ...object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

func newServer(t *testing.T, keys ...object) *server {
	s := &server{keys: keys}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.down.Load():
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(object{"issuer": s.URL, "jwks_uri": s.URL + "/jwks"})
		case r.URL.Path == "/jwks":
			s.fetches.Add(1)
			s.mu.Lock()
			defer s.mu.Unlock()
			_ = json.NewEncoder(w).Encode(object{"keys": s.keys})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func rsaKey(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

const audience = "https://fhir.example/r4"

// good returns the claims of a token that is valid, with changes.
func (s *server) good(change object) object {
	now := time.Now().Unix()
	c := object{"iss": s.URL, "aud": audience, "sub": "ada", "exp": now + 300, "iat": now, "scope": "openid patient/*.rs"}
	for name, value := range change {
		if value == nil {
			delete(c, name)
		} else {
			c[name] = value
		}
	}
	return c
}

func open(t testing.TB, list []bearer.Issuer, o bearer.Options) *bearer.Authenticator {
	t.Helper()
	o.Retry = 100 * time.Millisecond
	a, err := bearer.New(list, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(a *bearer.Authenticator, token string) (*access.Principal, error) {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/Patient/1", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return a.Authenticate(r)
}

// TestAttacks sends tokens that must not be accepted, and some that must.
func TestAttacks(t *testing.T) {
	key, other, weak := rsaKey(t, 2048), rsaKey(t, 2048), rsaKey(t, 1024)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pinned := jwk("pinned", key)
	pinned["alg"] = "PS256"
	encryption := jwk("enc", other)
	encryption["use"] = "enc"
	s := newServer(t, jwk("rsa", key), jwk("ec", curve), jwk("ed", edwards), jwk("weak", weak), pinned, encryption,
		object{"kty": "oct", "kid": "oct", "k": base64.RawURLEncoding.EncodeToString([]byte("shared"))}, object{"kty": "strange"})
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	publicJWK, err := json.Marshal(jwk("rsa", key))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	valid := signed(object{"alg": "RS256", "kid": "rsa", "typ": "at+jwt"}, s.good(nil), key)
	parts := strings.Split(valid, ".")
	for name, row := range map[string]struct {
		token string
		ok    bool
	}{
		"valid":             {valid, true},
		"PS256":             {signed(object{"alg": "PS256", "kid": "rsa"}, s.good(nil), key), true},
		"ES256":             {signed(object{"alg": "ES256", "kid": "ec", "typ": "JWT"}, s.good(nil), curve), true},
		"EdDSA":             {signed(object{"alg": "EdDSA", "kid": "ed", "typ": "application/at+jwt"}, s.good(nil), edwards), true},
		"no kid":            {signed(object{"alg": "RS256"}, s.good(nil), key), true},
		"several audiences": {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"aud": []string{"x", audience}}), key), true},
		"a little expired":  {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"exp": now - 10}), key), true},

		"alg none":                    {signed(object{"alg": "none"}, s.good(nil), nil), false},
		"alg None":                    {signed(object{"alg": "None", "kid": "rsa"}, s.good(nil), nil), false},
		"alg empty":                   {signed(object{"alg": "", "kid": "rsa"}, s.good(nil), nil), false},
		"alg missing":                 {signed(object{"kid": "rsa"}, s.good(nil), nil), false},
		"no signature":                {parts[0] + "." + parts[1] + ".", false},
		"HMAC with the public PEM":    {signed(object{"alg": "HS256", "kid": "rsa"}, s.good(nil), publicPEM), false},
		"HMAC with the public DER":    {signed(object{"alg": "HS256", "kid": "rsa"}, s.good(nil), der), false},
		"HMAC with the public JWK":    {signed(object{"alg": "HS256", "kid": "rsa"}, s.good(nil), publicJWK), false},
		"HMAC with a listed secret":   {signed(object{"alg": "HS256", "kid": "oct"}, s.good(nil), []byte("shared")), false},
		"another key with its kid":    {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(nil), other), false},
		"another key without kid":     {signed(object{"alg": "RS256"}, s.good(nil), other), false},
		"a key for encryption":        {signed(object{"alg": "RS256", "kid": "enc"}, s.good(nil), other), false},
		"a key of 1024 bits":          {signed(object{"alg": "RS256", "kid": "weak"}, s.good(nil), weak), false},
		"a key of another algorithm":  {signed(object{"alg": "RS256", "kid": "pinned"}, s.good(nil), key), false},
		"kid is a path":               {signed(object{"alg": "RS256", "kid": "../../../../dev/null"}, s.good(nil), key), false},
		"kid is SQL":                  {signed(object{"alg": "RS256", "kid": "' OR 1=1 --"}, s.good(nil), other), false},
		"jwk in the header":           {signed(object{"alg": "RS256", "jwk": jwk("rsa", other)}, s.good(nil), other), false},
		"jku in the header":           {signed(object{"alg": "RS256", "kid": "x", "jku": s.URL + "/attacker"}, s.good(nil), other), false},
		"x5u in the header":           {signed(object{"alg": "RS256", "kid": "rsa", "x5u": s.URL + "/attacker"}, s.good(nil), other), false},
		"critical extension":          {signed(object{"alg": "RS256", "kid": "rsa", "crit": []string{"exp"}, "exp": 1}, s.good(nil), key), false},
		"payload not encoded":         {signed(object{"alg": "RS256", "kid": "rsa", "crit": []string{"b64"}, "b64": false}, s.good(nil), key), false},
		"another payload":             {parts[0] + "." + part(s.good(object{"sub": "eve"})) + "." + parts[2], false},
		"expired":                     {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"exp": now - 60}), key), false},
		"never expires":               {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"exp": nil}), key), false},
		"exp is text":                 {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"exp": "tomorrow"}), key), false},
		"not valid yet":               {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"nbf": now + 120}), key), false},
		"issued in the future":        {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"iat": now + 120}), key), false},
		"wrong issuer":                {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"iss": "https://other.example"}), key), false},
		"issuer with a slash":         {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"iss": s.URL + "/"}), key), false},
		"no issuer":                   {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"iss": nil}), key), false},
		"wrong audience":              {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"aud": "https://other.example"}), key), false},
		"longer audience":             {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"aud": audience + "x"}), key), false},
		"no audience":                 {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"aud": nil}), key), false},
		"nobody":                      {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"sub": nil}), key), false},
		"proof of possession":         {signed(object{"alg": "RS256", "kid": "rsa", "typ": "dpop+jwt"}, s.good(nil), key), false},
		"logout token":                {signed(object{"alg": "RS256", "kid": "rsa", "typ": "logout+jwt"}, s.good(nil), key), false},
		"ID token":                    {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"at_hash": "x"}), key), false},
		"ID token with a code":        {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"c_hash": "x"}), key), false},
		"ID token with a state":       {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"s_hash": "x"}), key), false},
		"ID token of Azure AD B2C":    {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"nonce": "x", "scope": nil, "tfp": "B2C_1_in", "ver": "1.0"}), key), false},
		"ID token of Keycloak":        {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"typ": "ID", "azp": "app"}), key), false},
		"ID token of Cognito":         {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"token_use": "id"}), key), false},
		"ID token of ForgeRock":       {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"tokenName": "id_token", "scope": nil}), key), false},
		"ID token, empty scope":       {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"nonce": "x", "scope": ""}), key), false},
		"refresh token of ForgeRock":  {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"tokenName": "refresh_token"}), key), false},
		"access token of B2C":         {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"nonce": "x", "scope": nil, "scp": "read", "azp": "app"}), key), true},
		"access token of ForgeRock":   {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"nonce": "x", "tokenName": "access_token", "token_type": "Bearer", "scope": []string{"openid"}}), key), true},
		"access token of Keycloak 24": {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"nonce": "x", "typ": "Bearer", "scope": ""}), key), true},
		"access token of Cognito":     {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"token_use": "access", "scope": nil}), key), true},
		"access token by its typ":     {signed(object{"alg": "RS256", "kid": "rsa", "typ": "at+jwt"}, s.good(object{"nonce": "x", "scope": nil}), key), true},
		"only roles":                  {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"scope": nil, "roles": []string{"nurse"}}), key), true},
		"refresh token of Keycloak":   {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"typ": "Refresh"}), key), false},
		"access token of Keycloak":    {signed(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}, s.good(object{"typ": "Bearer"}), key), true},
		"report of a logout":          {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"events": object{"http://schemas.openid.net/event/backchannel-logout": object{}}}), key), false},
		"bound to a key of DPoP":      {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"cnf": object{"jkt": "x"}}), key), false},
		"bound to a certificate":      {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"cnf": object{"x5t#S256": "x"}}), key), false},
		"bound to nothing":            {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"cnf": object{}}), key), false},
		"huge":                        {signed(object{"alg": "RS256", "kid": "rsa"}, s.good(object{"x": strings.Repeat("a", 20_000)}), key), false},
		"deep":                        {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat(`{"a":`, 2000)+"1"+strings.Repeat("}", 2000))) + "." + parts[2], false},
		"duplicate iss":               {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"`+s.URL+`","iss":"x"}`)) + "." + parts[2], false},
		"blanks":                      {parts[0] + ". " + parts[1] + "." + parts[2], false},
		"padding":                     {parts[0] + "." + parts[1] + "." + parts[2] + "==", false},
		"standard alphabet, no parts": {"..", false},
	} {
		p, err := ask(a, row.token)
		if (err == nil) != row.ok || row.ok != (p != nil) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if err != nil && len(row.token) > 10 && strings.Contains(err.Error(), parts[2]) {
			t.Errorf("%s: the error repeats the token: %v", name, err)
		}
	}
	if n := s.fetches.Load(); n > 20 {
		t.Errorf("%d fetches of keys", n)
	}
}

// TestBoundToken sends a token that is bound to a client certificate, from connections with and without
// that certificate.
func TestBoundToken(t *testing.T) {
	key := rsaKey(t, 2048)
	s := newServer(t, jwk("1", key))
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
	own, other := &x509.Certificate{Raw: []byte("own")}, &x509.Certificate{Raw: []byte("other")}
	sum := sha256.Sum256(own.Raw)
	for name, c := range map[string]object{
		"alone":           {"x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:])},
		"and a key":       {"x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:]), "jkt": "x"},
		"hash of another": {"x5t#S256": base64.RawURLEncoding.EncodeToString(sum[:31])},
	} {
		token := signed(object{"alg": "RS256", "kid": "1"}, s.good(object{"cnf": c}), key)
		for range 2 { // the second time from memory
			for _, state := range []*tls.ConnectionState{nil, {}, {PeerCertificates: []*x509.Certificate{other}}, {PeerCertificates: []*x509.Certificate{own, other}}, {PeerCertificates: []*x509.Certificate{other, own}}} {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
				r.Header.Set("Authorization", "Bearer "+token)
				r.TLS = state
				p, err := a.Authenticate(r)
				want := name == "alone" && state != nil && len(state.PeerCertificates) > 0 && state.PeerCertificates[0] == own
				if (err == nil) != want || (p != nil) != want {
					t.Errorf("%s, %+v: %+v, %v", name, state, p, err)
				}
			}
		}
	}
}

// TestPrincipal reads the claims that issuers write.
func TestPrincipal(t *testing.T) {
	key := rsaKey(t, 2048)
	s := newServer(t, jwk("1", key))
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}, Roles: []string{"roles", "realm_access.roles", "https://x.example/groups"}}}, bearer.Options{})
	p, err := ask(a, signed(object{"alg": "RS256", "kid": "1"}, s.good(object{
		"scope": "launch/patient patient/*.rs", "scp": []string{"user/Observation.cruds"}, "azp": "app", "patient": "Patient/p1",
		"fhirUser": "https://fhir.example/r4/Practitioner/7", "roles": "nurse", "realm_access": object{"roles": []any{"admin", 7}},
		"https://x.example/groups": []string{"ward"},
	}), key))
	if err != nil {
		t.Fatal(err)
	}
	want := &access.Principal{
		Subject: "ada", Issuer: s.URL, Client: "app", Method: "jwt", Scopes: []string{"launch/patient", "patient/*.rs", "user/Observation.cruds"},
		Patient: "p1", User: "Practitioner/7", Roles: []string{"nurse", "admin", "ward"},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

// TestCacheExpires sends a token that has been verified until it expires.
func TestCacheExpires(t *testing.T) {
	key := rsaKey(t, 2048)
	s := newServer(t, jwk("1", key))
	now := time.Now()
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{Now: func() time.Time { return now }})
	token := signed(object{"alg": "RS256", "kid": "1"}, s.good(nil), key)
	first, err := ask(a, token)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ask(a, token); err != nil || again != first {
		t.Errorf("%v %v, want the same principal without a verification", again, err)
	}
	now = now.Add(6 * time.Minute)
	if p, err := ask(a, token); err == nil {
		t.Errorf("%v after the token has expired", p)
	}
}

// TestRotation replaces the key of the issuer while many requests run. Tokens of the old key are valid as
// long as the issuer has it. Another client sends tokens with unknown keys all the time.
func TestRotation(t *testing.T) {
	old, fresh := rsaKey(t, 2048), rsaKey(t, 2048)
	s := newServer(t, jwk("old", old))
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
	token := atomic.Pointer[string]{}
	first := signed(object{"alg": "RS256", "kid": "old"}, s.good(nil), old)
	second := signed(object{"alg": "RS256", "kid": "new"}, s.good(nil), fresh)
	token.Store(&first)
	end := time.Now().Add(1500 * time.Millisecond)
	var requests atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for time.Now().Before(end) {
				if _, err := ask(a, *token.Load()); err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
				requests.Add(1)
			}
		})
	}
	group.Go(func() {
		forged := signed(object{"alg": "RS256", "kid": "forged"}, s.good(nil), fresh)
		for time.Now().Before(end) {
			if _, err := ask(a, forged); err == nil {
				t.Error("a forged token is accepted")
			}
		}
	})
	time.Sleep(200 * time.Millisecond)
	s.publish(jwk("old", old), jwk("new", fresh))
	token.Store(&second)
	group.Wait()
	if _, err := ask(a, first); err != nil {
		t.Errorf("the old key is still there: %v", err)
	}
	s.publish(jwk("new", fresh)) // the old key is withdrawn
	_, _ = ask(a, signed(object{"alg": "RS256", "kid": "unknown"}, s.good(nil), old))
	if _, err := ask(a, first); err == nil {
		t.Error("a verified token is accepted after its key was withdrawn")
	}
	if requests.Load() < 100 || s.fetches.Load() > 20 {
		t.Errorf("%d requests, %d fetches", requests.Load(), s.fetches.Load())
	}
}

// TestIssuerDown starts without an issuer. That is no fault of the client.
func TestIssuerDown(t *testing.T) {
	key := rsaKey(t, 2048)
	s := newServer(t, jwk("1", key))
	s.down.Store(true)
	a := open(t, []bearer.Issuer{{URL: s.URL, Audiences: []string{audience}}}, bearer.Options{})
	token := signed(object{"alg": "RS256", "kid": "1"}, s.good(nil), key)
	if _, err := ask(a, token); !errors.Is(err, access.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
	s.down.Store(false)
	if _, err := ask(a, token); err != nil {
		t.Errorf("after the issuer is back: %v", err)
	}
	s.down.Store(true)
	if _, err := ask(a, signed(object{"alg": "RS256", "kid": "1"}, s.good(object{"sub": "eve"}), key)); err != nil {
		t.Errorf("keys that are known: %v", err)
	}
	if _, err := ask(a, signed(object{"alg": "RS256", "kid": "2"}, s.good(nil), key)); !errors.Is(err, access.ErrUnavailable) {
		t.Errorf("a key that may be new: %v, want ErrUnavailable", err)
	}
}

// TestKeyFile takes keys from a file, which is read again for a key that it did not have.
func TestKeyFile(t *testing.T) {
	key, fresh := rsaKey(t, 2048), rsaKey(t, 2048)
	path := filepath.Join(t.TempDir(), "keys.json")
	write := func(keys ...object) {
		text, err := json.Marshal(object{"keys": keys})
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(jwk("1", key))
	s := &server{Server: &httptest.Server{URL: "https://id.example"}}
	a := open(t, []bearer.Issuer{{URL: s.URL, Keys: path, Audiences: []string{audience}}}, bearer.Options{})
	if _, err := ask(a, signed(object{"alg": "RS256", "kid": "1"}, s.good(nil), key)); err != nil {
		t.Error(err)
	}
	write(jwk("2", fresh))
	if _, err := ask(a, signed(object{"alg": "RS256", "kid": "2"}, s.good(nil), fresh)); err != nil {
		t.Error(err)
	}
}

// TestNew has settings that would be mistakes.
func TestNew(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(empty, []byte(`{"keys":[{"kty":"oct","k":"AAAA"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, i := range map[string]bearer.Issuer{
		"no audience":         {URL: "https://id.example"},
		"https only":          {URL: "http://id.example", Audiences: []string{"x"}},
		"over https":          {URL: "https://id.example", Keys: "http://id.example/keys", Audiences: []string{"x"}},
		"no address":          {Audiences: []string{"x"}},
		"no such file":        {URL: "https://id.example", Keys: empty + "x", Audiences: []string{"x"}},
		"verifies signatures": {URL: "https://id.example", Keys: empty, Audiences: []string{"x"}},
	} {
		if _, err := bearer.New([]bearer.Issuer{i}, bearer.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", i, err, want)
		}
	}
}

// FuzzAuthenticate sends tokens that nobody has signed.
func FuzzAuthenticate(f *testing.F) {
	key := rsaKey(f, 2048)
	path := filepath.Join(f.TempDir(), "keys.json")
	text, err := json.Marshal(object{"keys": []object{jwk("1", key)}})
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		f.Fatal(err)
	}
	a := open(f, []bearer.Issuer{{URL: "https://id.example", Keys: path, Audiences: []string{audience}}}, bearer.Options{})
	f.Add(`{"alg":"RS256","kid":"1"}`, `{"iss":"https://id.example","aud":"x","exp":1}`, "sig")
	f.Add(`{"alg":"none"}`, `{"iss":["x"]}`, "")
	f.Add(`{"alg":"HS256","kid":"1","crit":["b64"],"jwk":{}}`, `{"iss":"https://id.example","aud":["`+audience+`"],"exp":4102444800}`, "sig")
	f.Add(`{"alg":"RS256","zip":"DEF"}`, `{"iss":"https://id.example","aud":"`+audience+`","exp":1e400,"nbf":-1}`, "")
	f.Fuzz(func(t *testing.T, header, payload, signature string) {
		e := base64.RawURLEncoding
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nobody waits for keys
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+e.EncodeToString([]byte(header))+"."+e.EncodeToString([]byte(payload))+"."+e.EncodeToString([]byte(signature)))
		if p, err := a.Authenticate(r); p != nil || err == nil {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

// FuzzBearer sends any text as the credentials of the scheme.
func FuzzBearer(f *testing.F) {
	path := filepath.Join(f.TempDir(), "keys.json")
	text, err := json.Marshal(object{"keys": []object{jwk("1", rsaKey(f, 2048))}})
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		f.Fatal(err)
	}
	a := open(f, []bearer.Issuer{{URL: "https://id.example", Keys: path, Audiences: []string{audience}}}, bearer.Options{})
	for _, seed := range []string{"", ".", "..", "...", "e30.e30.", "e30.e30.e30.e30.e30", "{\"payload\":\"e30\",\"signatures\":[]}", "eyJhbGciOiJub25lIn0.e30."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // nobody waits for keys
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if p, err := a.Authenticate(r); p != nil {
			t.Errorf("%q: %+v, %v", token, p, err)
		}
	})
}
