package authn_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/httpadapter/authn"
)

func request(t testing.TB, authorization string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/Patient/1", nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return r
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTokens makes tokens, uses them, and removes one while the server runs.
func TestTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.toml")
	good, goodHash := authn.NewToken()
	old, oldHash := authn.NewToken()
	if good == old || len(good) < 43 {
		t.Fatalf("tokens %q and %q", good, old)
	}
	f := &authn.TokenFile{Tokens: []authn.Token{
		{Name: "etl", Hash: goodHash, Scopes: []string{"system/*.cruds"}, Patient: "p1", Roles: []string{"loader"}},
		{Name: "old", Hash: oldHash, Expires: time.Now().Add(-time.Second)},
	}}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil || bytes.Contains(content, []byte(good)) {
		t.Fatalf("the file has the token itself: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	a, err := authn.OpenTokens(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Authenticate(request(t, "bearer "+good))
	if err != nil || p.Subject != "etl" || p.Method != "token" || p.Patient != "p1" || !slices.Equal(p.Roles, []string{"loader"}) || !slices.Equal(p.Scopes, []string{"system/*.cruds"}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, wrong := range []string{old, good[:len(good)-1], good + "A", "roget_", strings.ToUpper(good[6:])} {
		p, err := a.Authenticate(request(t, "Bearer "+wrong))
		if p != nil || strings.HasPrefix(wrong, "roget_") && err == nil {
			t.Errorf("%s: %+v, %v", wrong, p, err)
		}
		if err != nil && len(wrong) > 10 && strings.Contains(err.Error(), wrong) {
			t.Errorf("the error has the token: %v", err)
		}
	}
	for _, other := range []string{"", "Basic " + good, "Bearer a.b.c", good} {
		if p, err := a.Authenticate(request(t, other)); p != nil || err != nil {
			t.Errorf("%q: %+v, %v, want nil and nil", other, p, err)
		}
	}
}

// TestTokensChange changes the file of a running server, to a bad one too.
func TestTokensChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tokens.toml")
		token, hash := authn.NewToken()
		f := &authn.TokenFile{Tokens: []authn.Token{{Name: "etl", Hash: hash}}}
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		a, err := authn.OpenTokens(path, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		accepted := func() bool {
			time.Sleep(2 * time.Second)
			p, _ := a.Authenticate(request(t, "Bearer "+token))
			return p != nil
		}
		if !accepted() {
			t.Fatal("not accepted")
		}
		write(t, path, "[[token]]\nname = ")
		if !accepted() || !strings.Contains(log.String(), "line 2") {
			t.Errorf("a bad file replaces a good one, or the log does not have the line: %s", log.String())
		}
		if err := new(authn.TokenFile).Write(path); err != nil {
			t.Fatal(err)
		}
		if accepted() {
			t.Error("accepted after it was removed")
		}
	})
}

func TestBadFiles(t *testing.T) {
	_, hash := authn.NewToken()
	_, other := authn.NewToken()
	for content, want := range map[string]string{
		"[[token]]\nname='a'\nsha256='x'":                                                                         "token 1 (a): sha256 is not the hash",
		"[[Token]]\nname='a'\nsha256='" + hash + "'":                                                              "unknown key Token",
		"[[token]]\nName='a'\nsha256='" + hash + "'":                                                              "unknown key token.Name",
		"[[token]]\nname='a'\nsha256='" + hash + "'\n[[Token]]\nname='b'\nsha256='" + other + "'":                 "unknown key Token",
		"[[tokens]]\nname='a'\nsha256='" + hash + "'":                                                             "unknown key tokens",
		"[[token]]\nsha256='" + hash + "'":                                                                        "token 1 has no name",
		"[[token]]\nname='a'\nsha256='" + hash + "'\nscope='x'":                                                   "unknown key token.scope",
		"[[token]]\nname='a'\nsha256='" + hash + "'\nscopes=['system/*.sr']":                                      "cruds",
		strings.Repeat("[[token]]\nname='a'\nsha256='"+hash+"'\n", 2):                                             "same name or hash",
		"[[token]]\nname='a'\nsha256='" + hash + "'\n[[token]]\nname='b'\nsha256='" + strings.ToUpper(hash) + "'": "token 2 (b): another token has the same name or hash",
		"[[token]]\nname='a'\nsha256='" + hash + "'\n[[token]]\nname='a'\nsha256='" + other + "'":                 "token 2 (a): another token has the same name or hash",
		"[[token]]\nname='a'\nsha256='" + hash[2:] + "'":                                                          "token 1 (a): sha256 is not the hash",
		"[[token]]\nname='a'\nsha256='" + hash + "'\nexpires=2027-01-01T00:00:00":                                 "",
	} {
		path := filepath.Join(t.TempDir(), "tokens.toml")
		write(t, path, content)
		_, err := authn.OpenTokens(path, nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path)) {
			t.Errorf("%q: %v, want %q and the file", content, err, want)
		}
	}
	for content, want := range map[string]string{
		"ada":                                   "line 1 is not of the form",
		"# x\n\nada:$apr1$abc$defghij":          "line 3: the hash of \"ada\" is not a bcrypt hash; make one with htpasswd -B",
		"ada:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=": "htpasswd -B",
		"ada:$2y$04$" + strings.Repeat("a", 52): "htpasswd -B",
		"ada:$2y$04$" + strings.Repeat("a", 54): "htpasswd -B",
		"ada:$2y$31$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": "cost 31",
	} {
		path := filepath.Join(t.TempDir(), "passwords")
		write(t, path, content)
		if _, err := authn.OpenBasic(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func basic(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// TestBasic has passwords that are right, wrong and too long.
func TestBasic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passwords")
	own, err := bcrypt.GenerateFromPassword([]byte("wörld:x"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", 72)
	longHash, err := bcrypt.GenerateFromPassword([]byte(long), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "# users\nhello:"+string(own)+"\r\nlong:"+string(longHash)+"\n")
	b, err := authn.OpenBasic(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from memory
		if p, err := b.Authenticate(request(t, basic("hello", "wörld:x"))); err != nil || p.Subject != "hello" || p.Method != "basic" || p.Scopes != nil {
			t.Errorf("%+v, %v", p, err)
		}
	}
	for _, wrong := range []string{
		basic("hello", "world"), basic("hello", ""), basic("", "wörld:x"), basic("nobody", "wörld:x"), basic("long", long+"b"),
		basic("nobody", "nobody has this password"), "Basic !!!", "Basic " + base64.StdEncoding.EncodeToString([]byte("hello")),
	} {
		if p, err := b.Authenticate(request(t, wrong)); p != nil || err == nil || strings.Contains(err.Error(), "rld") {
			t.Errorf("%q: %+v, %v", wrong, p, err)
		}
	}
	if p, err := b.Authenticate(request(t, basic("long", long))); err != nil || p == nil {
		t.Errorf("72 bytes: %v", err)
	}
	if p, err := b.Authenticate(request(t, "Bearer x")); p != nil || err != nil {
		t.Errorf("%+v, %v, want nil and nil", p, err)
	}
}

// TestBasicIsBounded sends many wrong passwords at once: those that would wait too long may try again.
func TestBasicIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passwords")
	hash, err := bcrypt.GenerateFromPassword([]byte("x"), 12)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "ada:"+string(hash))
	b, err := authn.OpenBasic(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	busy := 0
	for range 40 {
		group.Go(func() {
			p, err := b.Authenticate(request(t, basic("ada", "wrong")))
			mu.Lock()
			defer mu.Unlock()
			if p != nil || err == nil {
				t.Errorf("%v, %v", p, err)
			}
			if errors.Is(err, access.ErrUnavailable) {
				busy++
			}
		})
	}
	group.Wait()
	if busy == 0 {
		t.Log("this machine verifies 40 passwords in 2 s")
	}
}

func TestCertificates(t *testing.T) {
	spiffe, err := url.Parse("spiffe://clinic/etl")
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: "etl", Organization: []string{"Clinic"}}, Issuer: pkix.Name{CommonName: "Clinic CA"},
		DNSNames: []string{"etl.example"}, URIs: []*url.URL{spiffe}, EmailAddresses: []string{"etl@example"},
	}
	r := request(t, "")
	for _, state := range []*tls.ConnectionState{nil, {}, {PeerCertificates: []*x509.Certificate{leaf}}} {
		r.TLS = state
		if p, err := (authn.Certificates{}).Authenticate(r); p != nil || err != nil {
			t.Errorf("a certificate that nobody has verified: %+v, %v", p, err)
		}
	}
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}, VerifiedChains: [][]*x509.Certificate{{leaf}}}
	p, err := (authn.Certificates{}).Authenticate(r)
	if err != nil || p.Subject != "CN=etl,O=Clinic" || p.Issuer != "CN=Clinic CA" || p.Method != "certificate" || p.Scopes != nil ||
		!slices.Equal(p.Roles, []string{"cn:etl", "dns:etl.example", "uri:spiffe://clinic/etl", "email:etl@example"}) {
		t.Errorf("%+v, %v", p, err)
	}
}

// FuzzTokenFile reads files of tokens.
func FuzzTokenFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "tokens.toml")
	f.Add("[[token]]\nname='a'\nsha256='00'\n")
	f.Add("token = 1")
	f.Fuzz(func(t *testing.T, content string) {
		write(t, path, content)
		if file, err := authn.ReadTokens(path); (file == nil) == (err == nil) {
			t.Errorf("%v, %v", file, err)
		}
	})
}
