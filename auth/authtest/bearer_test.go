package authtest_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwe"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
)

// The tokens and key sets of this file are made by lestrrat-go/jwx; the server reads them with another
// library.

type object = map[string]any

// An issuer publishes keys.
type issuer struct {
	*httptest.Server
	answer atomic.Pointer[http.HandlerFunc] // to requests for keys, nil for the keys
	mu     sync.Mutex
	set    jwk.Set
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{set: jwk.NewSet()}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own := i.answer.Load()
		switch {
		case r.URL.Path == "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(object{"issuer": i.URL, "jwks_uri": i.URL + "/jwks"})
		case r.URL.Path == "/jwks" && own != nil:
			(*own)(w, r)
		case r.URL.Path == "/jwks":
			i.mu.Lock()
			defer i.mu.Unlock()
			_ = json.NewEncoder(w).Encode(i.set)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		i.CloseClientConnections()
		i.Close()
	})
	return i
}

// publish adds the public key of a key, and returns the key with its id.
func (i *issuer) publish(t *testing.T, id string, raw any) jwk.Key {
	t.Helper()
	key, err := jwk.Import(raw)
	if err == nil {
		err = key.Set(jwk.KeyIDKey, id)
	}
	if err != nil {
		t.Fatal(err)
	}
	public, err := key.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.set.AddKey(public); err != nil {
		t.Fatal(err)
	}
	return key
}

func rsaKey(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func curveKey(t *testing.T, c elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(c, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign returns a token. The headers replace those that the library sets.
func sign(t *testing.T, algorithm jwa.SignatureAlgorithm, key any, headers, claims object) string {
	t.Helper()
	content, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return signText(t, algorithm, key, headers, string(content))
}

func signText(t *testing.T, algorithm jwa.SignatureAlgorithm, key any, headers object, content string) string {
	t.Helper()
	protected := jws.NewHeaders()
	for name, value := range headers {
		if err := protected.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	token, err := jws.Sign([]byte(content), jws.WithKey(algorithm, key, jws.WithProtectedHeaders(protected)))
	if err != nil {
		t.Fatal(err)
	}
	return string(token)
}

// claims returns the claims of a token that may search, with changes; nil removes a claim.
func (i *issuer) claims(audience string, changes object) object {
	now := time.Now().Unix()
	c := object{"iss": i.URL, "aud": audience, "sub": "ada", "exp": now + 300, "iat": now, "scope": "system/*.rs"}
	for name, value := range changes {
		if c[name] = value; value == nil {
			delete(c, name)
		}
	}
	return c
}

// ask searches with headers that come in pairs. It returns the status, the challenge and Retry-After.
func ask(ctx context.Context, t *testing.T, address string, headers ...string) (status int, challenge, retry string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return 0, "", ""
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, strings.Join(answer.Header.Values("WWW-Authenticate"), "; "), answer.Header.Get("Retry-After")
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// TestForeignTokens sends a running server tokens of a library that it does not use: those that it must
// accept, and those of attacks.
func TestForeignTokens(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	addr := freeAddr(t)
	fhir := "http://" + addr + "/r4"
	log := serve(t, "--addr", addr, "--auth-issuer", i.URL, "--auth-audience", fhir, "--failed-logins", "0")
	rs, stranger, ec, ec384 := rsaKey(t), rsaKey(t), curveKey(t, elliptic.P256()), curveKey(t, elliptic.P384())
	own, p256, p384 := i.publish(t, "rsa", rs), i.publish(t, "ec", ec), i.publish(t, "ec384", ec384)
	foreign, err := jwk.Import(stranger)
	if err != nil {
		t.Fatal(err)
	}
	foreignPublic, err := foreign.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	of := func(changes object) object { return i.claims(fhir, changes) }
	now := time.Now().Unix()
	good := sign(t, jwa.RS256(), own, nil, of(nil))
	text, err := json.Marshal(of(nil))
	if err != nil {
		t.Fatal(err)
	}

	accepted := map[string]string{
		"PS512":                sign(t, jwa.PS512(), own, nil, of(nil)),
		"ES256":                sign(t, jwa.ES256(), p256, object{"typ": "at+jwt"}, of(nil)),
		"ES384":                sign(t, jwa.ES384(), p384, object{"typ": "application/at+JWT"}, of(nil)),
		"no kid":               sign(t, jwa.RS256(), rs, nil, of(nil)),
		"expired within skew":  sign(t, jwa.RS256(), own, nil, of(object{"exp": now - 20})),
		"nbf within skew":      sign(t, jwa.RS256(), own, nil, of(object{"nbf": now + 20})),
		"exp with a fraction":  sign(t, jwa.RS256(), own, nil, of(object{"exp": float64(now) + 300.5})),
		"one of two audiences": sign(t, jwa.RS256(), own, nil, of(object{"aud": []string{"x", fhir}})),
		"jku beside the key":   sign(t, jwa.RS256(), own, object{"jku": "https://id.example/keys"}, of(nil)),
	}
	refused := map[string]string{
		"expired":             sign(t, jwa.RS256(), own, nil, of(object{"exp": now - 40})),
		"no exp":              sign(t, jwa.RS256(), own, nil, of(object{"exp": nil})),
		"exp is text":         sign(t, jwa.RS256(), own, nil, of(object{"exp": "4102444800"})),
		"exp too large":       signText(t, jwa.RS256(), own, nil, strings.Replace(string(text), `"exp":`, `"exp":1e400,"x":`, 1)),
		"nbf later":           sign(t, jwa.RS256(), own, nil, of(object{"nbf": now + 60})),
		"issuer with slash":   sign(t, jwa.RS256(), own, nil, of(object{"iss": i.URL + "/"})),
		"issuer in capitals":  sign(t, jwa.RS256(), own, nil, of(object{"iss": strings.ToUpper(i.URL)})),
		"issuer in array":     sign(t, jwa.RS256(), own, nil, of(object{"iss": []string{i.URL}})),
		"part of an audience": sign(t, jwa.RS256(), own, nil, of(object{"aud": fhir[:len(fhir)-1]})),
		"audience and more":   sign(t, jwa.RS256(), own, nil, of(object{"aud": fhir + "/"})),
		"audiences in a text": sign(t, jwa.RS256(), own, nil, of(object{"aud": "x " + fhir})),
		"audience nested":     sign(t, jwa.RS256(), own, nil, of(object{"aud": [][]string{{fhir}}})),
		"unknown kid":         sign(t, jwa.RS256(), rs, object{"kid": "other"}, of(nil)),
		"kid is a path":       sign(t, jwa.RS256(), stranger, object{"kid": "../../../dev/null"}, of(nil)),
		"kid is SQL":          sign(t, jwa.RS256(), stranger, object{"kid": "' OR '1'='1"}, of(nil)),
		"kid of another key":  sign(t, jwa.RS256(), rs, object{"kid": "ec"}, of(nil)),
		"a stranger's key":    sign(t, jwa.RS256(), stranger, object{"kid": "rsa"}, of(nil)),
		"jwk":                 sign(t, jwa.RS256(), stranger, object{"jwk": foreignPublic}, of(nil)),
		"jwk and kid":         sign(t, jwa.RS256(), stranger, object{"jwk": foreignPublic, "kid": "rsa"}, of(nil)),
		"jku":                 sign(t, jwa.RS256(), stranger, object{"jku": i.URL + "/attacker", "kid": "x"}, of(nil)),
		"x5u":                 sign(t, jwa.RS256(), stranger, object{"x5u": i.URL + "/attacker", "kid": "rsa"}, of(nil)),
		"crit":                sign(t, jwa.RS256(), own, object{"crit": []string{"exp"}, "exp": now}, of(nil)),
		"nested":              signText(t, jwa.RS256(), own, object{"cty": "JWT"}, good),
		"ID token":            sign(t, jwa.RS256(), own, object{"typ": "JWT"}, of(object{"at_hash": "x", "nonce": "y"})),
		"logout token":        sign(t, jwa.RS256(), own, object{"typ": "logout+jwt"}, of(nil)),
		"typ of DPoP":         sign(t, jwa.RS256(), own, object{"typ": "dpop+jwt"}, of(nil)),
		"bound by DPoP":       sign(t, jwa.RS256(), own, nil, of(object{"cnf": object{"jkt": "x"}})),
		"bound to a client":   sign(t, jwa.RS256(), own, nil, of(object{"cnf": object{"x5t#S256": "x"}})),
		"two iss":             signText(t, jwa.RS256(), own, nil, `{"iss":"x",`+string(text[1:])),
		"two scopes":          signText(t, jwa.RS256(), own, nil, `{"scope":"x",`+string(text[1:])),
		"two roles":           signText(t, jwa.RS256(), own, nil, `{"realm_access":{"roles":["a"],"roles":["b"]},`+string(text[1:])),
		"two objects":         signText(t, jwa.RS256(), own, nil, string(text)+string(text)),
		"claims in an array":  signText(t, jwa.RS256(), own, nil, "["+string(text)+"]"),
		"Iss":                 sign(t, jwa.RS256(), own, nil, of(object{"iss": nil, "Iss": i.URL})),
		"huge":                sign(t, jwa.RS256(), own, nil, of(object{"x": strings.Repeat("a", 20_000)})),
	}
	encode := base64.RawURLEncoding.EncodeToString
	forge := func(header string, signature []byte) string {
		return encode([]byte(header)) + "." + encode(text) + "." + encode(signature)
	}
	for _, alg := range []string{"none", "None", "NONE", "nOnE", " none", "", "RS256 ", "rs256", "HS256"} {
		refused["unsigned, alg "+alg] = forge(`{"alg":"`+alg+`"}`, nil)
	}
	refused["two algs"] = forge(`{"alg":"RS256","alg":"none"}`, nil)
	refused["algs in an array"] = forge(`{"alg":["none","RS256"]}`, nil)
	zero := make([]byte, 32)
	one := append(make([]byte, 31), 1)
	order := elliptic.P256().Params().N.Bytes()
	for name, pair := range map[string][2][]byte{"r = s = 0": {zero, zero}, "r = 0": {zero, one}, "s = 0": {one, zero}, "r = s = n": {order, order}} {
		refused["ES256, "+name] = forge(`{"alg":"ES256","kid":"ec"}`, append(append([]byte{}, pair[0]...), pair[1]...))
	}
	const mixed = `{"alg":"ES384","kid":"ec"}`
	digest := sha512.Sum384([]byte(encode([]byte(mixed)) + "." + encode(text)))
	r, v, err := ecdsa.Sign(rand.Reader, ec, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{32, 48} {
		refused[fmt.Sprintf("ES384 by a key on P-256, %d bytes", 2*size)] = forge(mixed, append(r.FillBytes(make([]byte, size)), v.FillBytes(make([]byte, size))...))
	}
	der, err := x509.MarshalPKIXPublicKey(&rs.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	ownPublic, err := own.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	publicText, err := json.Marshal(ownPublic)
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string][]byte{
		"PEM": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "DER": der, "JWK": publicText, "modulus": rs.N.Bytes(),
		"PKCS 1": pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&rs.PublicKey)}),
	} {
		for _, algorithm := range []jwa.SignatureAlgorithm{jwa.HS256(), jwa.HS512()} {
			refused[algorithm.String()+" with the public key as "+name] = sign(t, algorithm, secret, object{"kid": "rsa"}, of(nil))
		}
	}
	encrypted, err := jwe.Encrypt(text, jwe.WithKey(jwa.RSA_OAEP_256(), &rs.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	refused["encrypted"] = string(encrypted)
	detached := strings.Split(good, ".")
	refused["no payload"] = detached[0] + ".." + detached[2]
	refused["claims of another token"] = detached[0] + "." + encode([]byte(strings.Replace(string(text), "ada", "eve", 1))) + "." + detached[2]
	refused["JSON"] = `{"payload":"` + detached[1] + `","protected":"` + detached[0] + `","signature":"` + detached[2] + `"}`

	for name, token := range accepted {
		if status, challenge, _ := ask(t.Context(), t, fhir+"/Patient", bearer(token)...); status != http.StatusOK {
			t.Errorf("%s: %d %s, want 200", name, status, challenge)
		}
	}
	var group sync.WaitGroup // tokens with unknown keys wait for the next keys together
	for name, token := range refused {
		group.Go(func() {
			status, challenge, _ := ask(t.Context(), t, fhir+"/Patient", bearer(token)...)
			if status != http.StatusUnauthorized || !strings.Contains(challenge, `error="invalid_token"`) {
				t.Errorf("%s: %d %s, want 401 with invalid_token", name, status, challenge)
			}
		})
	}
	group.Wait()
	for name, row := range map[string]struct {
		headers []string
		want    int
	}{
		"twice":             {append(bearer(good), bearer(good)...), http.StatusBadRequest},
		"beside a password": {append(bearer(good), "Authorization", "Basic YTpi"), http.StatusBadRequest},
		"in a list":         {[]string{"Authorization", "Basic YTpi, Bearer " + good}, http.StatusUnauthorized},
		"for a proxy":       {[]string{"Proxy-Authorization", "Bearer " + good}, http.StatusUnauthorized},
		"in a cookie":       {[]string{"Cookie", "access_token=" + good}, http.StatusUnauthorized},
		"as DPoP":           {[]string{"Authorization", "DPoP " + good}, http.StatusUnauthorized},
		"of a proxy's user": {[]string{"X-Remote-User", "ada", "X-Forwarded-User", "ada"}, http.StatusUnauthorized},
		"in small letters":  {[]string{"authorization", "bearer " + good}, http.StatusOK},
	} {
		if status, challenge, _ := ask(t.Context(), t, fhir+"/Patient", row.headers...); status != row.want {
			t.Errorf("%s: %d %s, want %d", name, status, challenge, row.want)
		}
	}
	if strings.Contains(log.String(), "eyJ") {
		t.Errorf("the log has a token: %s", log)
	}
}

// TestForeignKeySets has issuers whose keys cannot be had. Tokens of theirs are no fault of the client,
// and tokens of another issuer are accepted at once meanwhile.
func TestForeignKeySets(t *testing.T) {
	t.Parallel()
	good := newIssuer(t)
	key := rsaKey(t)
	own := good.publish(t, "rsa", key)
	secret, err := jwk.Import([]byte("a secret that both sides share"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]http.HandlerFunc{
		"down": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"slow": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"keys":[`+strings.Repeat(`{"kty":"oct","k":"AAAA"},`, 100_000)+`{}]}`)
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/jwks", http.StatusFound)
		},
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<!doctype html><title>keys</title>")
		},
		"a list":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") },
		"no keys": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"keys":[]}`) },
		"secrets only": func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(object{"keys": []any{secret}})
		},
	}
	addr := freeAddr(t)
	fhir := "http://" + addr + "/r4"
	args := []string{"--addr", addr, "--auth-issuer", good.URL, "--auth-audience", fhir, "--failed-logins", "0"}
	bad := map[string]*issuer{}
	for name, answer := range answers {
		bad[name] = newIssuer(t)
		bad[name].answer.Store(&answer)
		args = append(args, "--auth-issuer", bad[name].URL)
	}
	serve(t, args...)
	var group sync.WaitGroup
	for name, i := range bad {
		group.Go(func() {
			patience := time.Minute
			if name == "slow" {
				patience = 3 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			token := sign(t, jwa.RS256(), own, nil, i.claims(fhir, nil))
			if status, _, retry := ask(ctx, t, fhir+"/Patient", bearer(token)...); name != "slow" && (status != http.StatusServiceUnavailable || retry == "") {
				t.Errorf("keys are %s: %d, Retry-After %q, want 503", name, status, retry)
			} else if status == http.StatusOK {
				t.Errorf("keys are %s: the token is accepted", name)
			}
		})
	}
	for range 20 {
		if status, challenge, _ := ask(t.Context(), t, fhir+"/Patient", bearer(sign(t, jwa.RS256(), own, nil, good.claims(fhir, nil)))...); status != http.StatusOK {
			t.Errorf("the good issuer: %d %s", status, challenge)
		}
	}
	group.Wait()
	bad["down"].answer.Store(nil) // it comes back, with the key that another issuer has too
	bad["down"].publish(t, "rsa", key)
	token := sign(t, jwa.RS256(), own, nil, bad["down"].claims(fhir, nil))
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		status, _, _ := ask(t.Context(), t, fhir+"/Patient", bearer(token)...)
		if status == http.StatusOK {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("an issuer that came back: %d", status)
		}
	}
}

// TestForeignIssuers has two issuers with keys and audiences of their own, and keys of the same name.
// Neither can sign for the other, and tokens for the audience of one are not accepted from the other.
func TestForeignIssuers(t *testing.T) {
	t.Parallel()
	a, b := newIssuer(t), newIssuer(t)
	keyA, keyB := a.publish(t, "1", rsaKey(t)), b.publish(t, "1", rsaKey(t))
	addr := freeAddr(t)
	serve(t, "--addr", addr, "--auth-issuer", a.URL, "--auth-issuer", b.URL, "--auth-jwks", b.URL+"="+b.URL+"/jwks",
		"--auth-audience", a.URL+"=for-a", "--auth-audience", b.URL+"=for-b", "--auth-audience", "for-both", "--failed-logins", "0")
	for name, row := range map[string]struct {
		token string
		want  int
	}{
		"a":                  {sign(t, jwa.RS256(), keyA, nil, a.claims("for-a", nil)), http.StatusOK},
		"b":                  {sign(t, jwa.RS256(), keyB, nil, b.claims("for-b", nil)), http.StatusOK},
		"a for both":         {sign(t, jwa.RS256(), keyA, nil, a.claims("for-both", nil)), http.StatusOK},
		"b for both":         {sign(t, jwa.RS256(), keyB, nil, b.claims("for-both", nil)), http.StatusOK},
		"a signed by b":      {sign(t, jwa.RS256(), keyB, nil, a.claims("for-a", nil)), http.StatusUnauthorized},
		"b signed by a":      {sign(t, jwa.RS256(), keyA, nil, b.claims("for-b", nil)), http.StatusUnauthorized},
		"a for b's audience": {sign(t, jwa.RS256(), keyA, nil, a.claims("for-b", nil)), http.StatusUnauthorized},
		"b for a's audience": {sign(t, jwa.RS256(), keyB, nil, b.claims("for-a", nil)), http.StatusUnauthorized},
		"b without its name": {sign(t, jwa.RS256(), keyB, nil, b.claims("for-b", object{"iss": nil})), http.StatusUnauthorized},
	} {
		if status, challenge, _ := ask(t.Context(), t, "http://"+addr+"/r4/Patient", bearer(row.token)...); status != row.want {
			t.Errorf("%s: %d %s, want %d", name, status, challenge, row.want)
		}
	}
}
