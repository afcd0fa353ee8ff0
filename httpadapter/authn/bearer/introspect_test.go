package bearer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
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

// introspected returns an authenticator that asks a server which answers with a function, and its
// clock.
func introspected(t testing.TB, answer http.HandlerFunc) (*bearer.Introspector, *atomic.Int64) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := new(atomic.Int64)
	now.Store(1_800_000_000)
	a, err := bearer.NewIntrospector(bearer.Introspection{URL: server.URL, Client: "me", SecretFile: secret, Audiences: []string{audience}, Roles: []string{"groups"}},
		bearer.Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	if err != nil {
		t.Fatal(err)
	}
	return a, now
}

func send(ctx context.Context, a *bearer.Introspector, token string) (*access.Principal, error) {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/Patient/1", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return a.Authenticate(r)
}

// TestAnswers has answers of authorization servers about tokens: those that accept them, those that
// refuse them, and those that say nothing, which are no fault of the client.
func TestAnswers(t *testing.T) {
	const head = `{"active":true,"aud":"` + audience + `","sub":"ada",`
	for name, row := range map[string]struct {
		status int
		body   string
		want   string // what is in the error, "" if there is none
	}{
		"active":              {200, head + `"scope":"user/*.rs"}`, ""},
		"of Hydra":            {200, head + `"token_type":"Bearer","token_use":"access_token","exp":1800000001,"iat":1799999999,"nbf":1799999999}`, ""},
		"only a client":       {200, `{"active":true,"aud":["x","` + audience + `"],"client_id":"app"}`, ""},
		"only a user":         {200, `{"active":true,"aud":"` + audience + `","username":"ada"}`, ""},
		"expired within skew": {200, head + `"exp":1799999980}`, ""},
		"not active":          {200, `{"active":false}`, "not active"},
		"nothing":             {200, `{}`, "not active"},
		"inactive with all":   {200, strings.Replace(head, "true", "false", 1) + `"scope":"user/*.rs"}`, "not active"},
		"expired":             {200, head + `"exp":1799999960}`, "expired"},
		"expired at 0":        {200, head + `"exp":-62135596800}`, "expired"},
		"later":               {200, head + `"nbf":1800000060}`, "not valid yet"},
		"with a nonce":        {200, head + `"token_type":"Bearer","nonce":"x"}`, ""},
		"an ID token":         {200, head + `"nonce":"x"}`, "ID token"},
		"scope is a number":   {200, head + `"scope":5}`, "cannot be asked"},
		"nonce, scope":        {200, head + `"nonce":"x","scope":"a"}`, ""},
		"nonce, scp":          {200, head + `"nonce":"x","scp":["a"]}`, ""},
		"nonce, typ":          {200, head + `"nonce":"x","typ":"Bearer"}`, ""},
		"nonce, use":          {200, head + `"nonce":"x","token_use":"access"}`, ""},
		"nonce, use of Hydra": {200, head + `"nonce":"x","token_use":"access_token"}`, ""},
		"nonce, name":         {200, head + `"nonce":"x","tokenName":"access_token"}`, ""},
		"type is a number":    {200, head + `"token_type":5}`, "Bearer"},
		"refresh token":       {200, head + `"token_use":"refresh_token"}`, "refresh token"},
		"type of DPoP":        {200, head + `"token_type":"DPoP"}`, "Bearer"},
		"bound by DPoP":       {200, head + `"cnf":{"jkt":"x"}}`, "cnf"},
		"other audience":      {200, strings.Replace(head, audience, "x", 1) + `"x":1}`, "audience"},
		"no audience":         {200, `{"active":true,"sub":"ada"}`, "audience"},
		"nobody":              {200, `{"active":true,"aud":"` + audience + `"}`, "no subject"},
		"active is text":      {200, strings.Replace(head, "true", `"true"`, 1) + `"x":1}`, "cannot be asked"},
		"a page":              {200, "<!doctype html>", "cannot be asked"},
		"a list":              {200, "[]", "cannot be asked"},
		"huge":                {200, head + `"x":"` + strings.Repeat("x", 70_000) + `"}`, "cannot be asked"},
		"wrong secret":        {401, head + `"x":1}`, "cannot be asked"},
		"broken":              {500, head + `"x":1}`, "cannot be asked"},
		"moved":               {307, head + `"x":1}`, "cannot be asked"},
	} {
		a, _ := introspected(t, func(w http.ResponseWriter, r *http.Request) {
			if id, secret, _ := r.BasicAuth(); id != "me" || secret != "s3cret" || r.Method != http.MethodPost || r.FormValue("token") != "t.1" {
				t.Errorf("%s: asked with %s, %v", name, r.Method, r.Form)
			}
			w.Header().Set("Location", r.URL.Path)
			w.WriteHeader(row.status)
			_, _ = w.Write([]byte(row.body))
		})
		p, err := send(t.Context(), a, "t.1")
		if (err == nil) != (row.want == "") || (p != nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v, want an error with %q", name, p, err, row.want)
		}
		if p != nil && p.Issuer != a.URL {
			t.Errorf("%s: the issuer is %s", name, p.Issuer)
		}
		if errors.Is(err, access.ErrUnavailable) != (row.want == "cannot be asked") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "t.1") {
			t.Errorf("%s: the error repeats the token", name)
		}
	}
}

// TestAnswerPrincipal reads what an answer says about its user.
func TestAnswerPrincipal(t *testing.T) {
	a, _ := introspected(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(object{
			"active": true, "aud": audience, "iss": "https://id.example", "sub": "7", "client_id": "app", "scope": "openid patient/*.rs",
			"patient": "p1", "fhirUser": "Practitioner/3", "groups": []string{"ward"},
		})
	})
	p, err := send(t.Context(), a, "t")
	want := &access.Principal{
		Subject: "7", Issuer: "https://id.example", Client: "app", Method: "introspection", Scopes: []string{"openid", "patient/*.rs"},
		Patient: "p1", User: "Practitioner/3", Roles: []string{"ward"},
	}
	if diff := cmp.Diff(want, p); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

// TestAnswersAreKept asks about tokens several times: the server is asked once in a while only, also
// by requests at the same time, and a token that was revoked is refused soon.
func TestAnswersAreKept(t *testing.T) {
	var asked atomic.Int32
	var revoked atomic.Bool
	a, now := introspected(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		time.Sleep(50 * time.Millisecond)
		_ = json.NewEncoder(w).Encode(object{"active": r.FormValue("token") == "good" && !revoked.Load(), "aud": audience, "sub": "ada"})
	})
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if _, err := send(t.Context(), a, "good"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	for range 3 {
		if _, err := send(t.Context(), a, "bad"); err == nil || errors.Is(err, access.ErrExpired) {
			t.Errorf("%v for a token that was never active", err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times, want twice", n)
	}
	revoked.Store(true)
	if _, err := send(t.Context(), a, "good"); err != nil {
		t.Errorf("an answer is kept: %v", err)
	}
	now.Add(11)
	for range 2 {
		if _, err := send(t.Context(), a, "good"); !errors.Is(err, access.ErrExpired) {
			t.Errorf("after the token was revoked: %v", err)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
	revoked.Store(false)
	now.Add(11)
	if _, err := send(t.Context(), a, "good"); err != nil {
		t.Errorf("active again: %v", err)
	}
}

// TestAnswersExpire uses an answer until the token expires, which is sooner than the answer is old.
func TestAnswersExpire(t *testing.T) {
	a, now := introspected(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(object{"active": true, "aud": audience, "sub": "ada", "exp": 1_800_000_000 - 25})
	})
	if _, err := send(t.Context(), a, "t"); err != nil {
		t.Fatal(err)
	}
	now.Add(6)
	if _, err := send(t.Context(), a, "t"); !errors.Is(err, access.ErrExpired) {
		t.Errorf("%v after the token has expired", err)
	}
}

// TestSlowAnswers sends many tokens to a server that does not answer. All are refused as soon as their
// requests end, and no more than some are asked about.
func TestSlowAnswers(t *testing.T) {
	var running atomic.Int32
	ended := make(chan struct{})
	a, _ := introspected(t, func(http.ResponseWriter, *http.Request) {
		running.Add(1)
		<-ended
	})
	defer close(ended) // before the server is closed
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			if _, err := send(ctx, a, "t"+strings.Repeat("x", i)); !errors.Is(err, access.ErrUnavailable) {
				t.Errorf("%v, want ErrUnavailable", err)
			}
		})
	}
	group.Wait()
	if n := running.Load(); n == 0 || n > 64 {
		t.Errorf("%d questions at once, want 64 at most", n)
	}
}

// TestBoundAnswers has a token that is bound to a client certificate.
func TestBoundAnswers(t *testing.T) {
	a, _ := introspected(t, func(w http.ResponseWriter, _ *http.Request) { // the hash of "own"
		_ = json.NewEncoder(w).Encode(object{"active": true, "aud": audience, "sub": "ada", "cnf": object{"x5t#S256": "Wzl1ZRw8q5LQRMCW3DChwtlSVJdFdHLeSMUeyzY9H0o"}})
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer t")
	for range 2 {
		if p, err := a.Authenticate(r); err == nil {
			t.Errorf("%+v without the certificate", p)
		}
	}
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("own")}}}
	if _, err := a.Authenticate(r); err != nil {
		t.Errorf("with the certificate: %v", err)
	}
}

// TestNewIntrospector has settings that would be mistakes.
func TestNewIntrospector(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a\nb"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, i := range map[string]bearer.Introspection{
		"https only":      {URL: "http://id.example/x", Client: "c", SecretFile: secret},
		"not an address":  {Client: "c", SecretFile: secret},
		"has credentials": {URL: "https://a:s3cret@id.example/x", Client: "c", SecretFile: secret},
		"no client":       {URL: "https://id.example/x", SecretFile: secret},
		"one line":        {URL: "https://id.example/x", Client: "c", SecretFile: secret},
		"no such file":    {URL: "https://id.example/x", Client: "c", SecretFile: secret + "x"},
	} {
		if _, err := bearer.NewIntrospector(i, bearer.Options{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%+v: %v, want an error with %q", i, err, want)
		}
	}
}

// FuzzAnswer reads any bytes as an answer about a token.
func FuzzAnswer(f *testing.F) {
	var body atomic.Pointer[string]
	a, now := introspected(f, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(*body.Load())) })
	for _, seed := range []string{
		`{"active":true,"aud":"` + audience + `","sub":"a","exp":1e300}`, `{"active":true,"aud":["` + audience + `"],"client_id":"a","cnf":null,"scope":["x"]}`,
		`{"active":false}`, `{"active":true,"active":false}`, `[]`, ``, `{"active":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		body.Store(&content)
		now.Add(100) // earlier answers are forgotten
		p, err := send(t.Context(), a, "t")
		if (p == nil) == (err == nil) {
			t.Fatalf("%+v, %v", p, err)
		}
		if p != nil && (p.Subject == "" || p.Method != "introspection" || p.Scopes == nil || !strings.Contains(content, "true")) {
			t.Errorf("%q is %+v", content, p)
		}
	})
}
