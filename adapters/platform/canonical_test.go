package platform

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roget-health/roget/auth"
)

// refusedBody is what a platform answers to who is not signed in.
const refusedBody = `{"httpStatus":"Unauthorized","httpStatusCode":401,"status":"ERROR","message":"Full authentication is required"}`

// other starts another server, which answers system information so.
func other(t *testing.T, kind string, status int, body string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials are sent before the address is adopted")
		}
		if r.URL.Path == "/p"+systemInfoPath {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestCanonical: platform toolkit, section 2.2, step 1, and rules by version, V6.
func TestCanonical(t *testing.T) {
	info := `{"version":"2.42.4"}`
	jsonly, refused := other(t, "application/json;charset=UTF-8", 200, info), other(t, "application/json", 401, refusedBody)
	html, stranger, oracle := other(t, "text/html", 200, info), other(t, "application/json", 200, `{"version":"7.1"}`), other(t, "application/json", 401, `{"error":"login"}`)
	for _, test := range []struct{ to, want string }{
		{"", ""}, // no redirect
		{"/ctx/", "/ctx"},
		{"/dhis-web-login/", ""},
		{"/ctx/dhis-web-login", "/ctx"},
		{"/ctx/login/", "/ctx"},
		{"/ctx/login?a=b#c", "/ctx"},
		{"/ctx/dhis-web-commons/security/login.action", "/ctx"},
		{"/error", ""},
		{"/loop", ""},
		{"::nonsense", ""},
		{jsonly.URL + "/p/login", jsonly.URL + "/p"},
		{refused.URL + "/p/", refused.URL + "/p"},
		{html.URL + "/p/login", ""},
		{stranger.URL + "/p/login", ""},
		{oracle.URL + "/p/login", ""},
		{"/apps/dashboard/", ""},
		{"/ctx/apps/dashboard/#/", "/ctx"},
		{"/login.html", ""},
		{"/ctx/index.html", "/ctx"},
		{"/ctx/api/apps/start/index.html", "/ctx"},
		{"/portal/", ""},
		{"/ctx/portal/", ""},
	} {
		c := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("credentials are sent")
			}
			switch {
			case r.URL.Path == "/" && test.to != "":
				w.Header().Set("Location", test.to)
				w.WriteHeader(http.StatusFound)
			case r.URL.Path == "/error":
				w.WriteHeader(http.StatusInternalServerError)
			case r.URL.Path == "/ctx"+systemInfoPath:
				answer(401, refusedBody, "Content-Type", "application/json")(w, r)
			case r.URL.Path == "/loop":
				http.Redirect(w, r, "/loop", http.StatusFound)
			}
		})
		want := test.want
		if !strings.HasPrefix(want, "http") {
			want = c.base + want
		}
		if got, _ := c.canonical(t.Context()); got != want {
			t.Errorf("%q: %s, want %s", test.to, got, want)
		}
	}
}

// TestSilence: a platform that does not answer is not waited for.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for silent, want := range map[string]time.Duration{"/": 10 * time.Second, "/ctx" + systemInfoPath: 5 * time.Second, loginConfigPath: 5 * time.Second} {
			c, _ := New("http://a.example", auth.Anonymous{}, Options{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == silent {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				recorder := httptest.NewRecorder()
				if r.URL.Path == "/" {
					http.Redirect(recorder, r, "/ctx/", http.StatusFound)
				}
				return recorder.Result(), nil
			})})
			begin := time.Now()
			base, _ := c.canonical(t.Context())
			_, err := c.PublicVersion(t.Context())
			if took := time.Since(begin); base != c.base || err == nil || took != want {
				t.Errorf("%s: %s, %v after %v", silent, base, err, took)
			}
		}
	})
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLeast: a client reads 256 MiB, a record may have nothing unknown, and nothing is asked without a uid.
func TestLeast(t *testing.T) {
	c := serve(t, Options{}, answer(200, "{}"))
	clients, err := Major(42).Codec().DecodeOAuth2Clients(json.RawMessage(`{"oAuth2Clients":[{"clientId":"a"}]}`))
	if c.options.MaxAnswer != 256<<20 || err != nil || clients[0].Extra != nil {
		t.Errorf("%d, %+v, %v", c.options.MaxAnswer, clients, err)
	}
	if _, err := c.UserGroups().Sharing(t.Context(), ""); err == nil || err.Error() != "the uid of the userGroup is empty" {
		t.Error(err)
	}
}

// TestNoDowngrade: an address of https is not left for one of http.
func TestNoDowngrade(t *testing.T) {
	open := other(t, "application/json", 200, `{"version":"2.42.4"}`)
	server := httptest.NewUnstartedServer(http.RedirectHandler(open.URL+"/p/", http.StatusFound))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c, err := New(server.URL, auth.NewPAT(auth.NewSecret("t")), Options{TLS: &tls.Config{RootCAs: roots}})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := c.canonical(t.Context()); got != server.URL {
		t.Error(got)
	}
	var refused *APIError
	if err := c.get(t.Context(), "/api/x", nil, nil); !errors.As(err, &refused) || refused.Status != 302 {
		t.Errorf("the certificate is not trusted: %v", err)
	}
	strict, _ := New(server.URL, auth.NewPAT(auth.NewSecret("t")), Options{})
	if err := strict.get(t.Context(), "/api/x", nil, nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("any certificate is trusted: %v", err)
	}
	from, _ := url.Parse("https://a")
	to, _ := url.Parse("http://a")
	if !downgrade(from, to) || downgrade(to, from) {
		t.Error("downgrade")
	}
}
