package httpadapter

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/access"
)

// A rated server has a clock that stands still unless the test moves it.
type rated struct {
	*client
	now time.Time
}

func newRated(t *testing.T, rates Rates, change ...func(*Config)) *rated {
	s := &rated{now: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	s.client = newClient(t, append(change, func(c *Config) {
		c.Rates, c.Now, c.Metrics = rates, func() time.Time { return s.now }, true
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})...)
	return s
}

// from sends a request from an address and returns the response.
func (s *rated) from(addr, method, path, body string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(addr), 4711).String()
	if body != "" {
		r.Header.Set("Content-Type", mediaFHIR)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Result()
}

// accepted counts the requests of an address until one gets a 429, at most 100.
func (s *rated) accepted(t *testing.T, addr string, headers ...string) int {
	t.Helper()
	for n := range 100 {
		r := s.from(addr, http.MethodGet, "/ValueSet/pets", "", headers...)
		if r.StatusCode == http.StatusTooManyRequests {
			return n
		}
	}
	return 100
}

func TestRates(t *testing.T) {
	s := newRated(t, Rates{Requests: 2, Burst: 5})
	if n := s.accepted(t, "192.0.2.1"); n != 5 {
		t.Errorf("%d at once, want 5", n)
	}
	r := s.from("192.0.2.1", http.MethodGet, "/ValueSet/pets", "")
	if body := readAll(t, r); !strings.Contains(body, `"throttled"`) || !strings.Contains(body, "OperationOutcome") || r.Header.Get("Retry-After") != "1" {
		t.Errorf("%v %s", r.Header, body)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := s.from("192.0.2.1", http.MethodGet, path, ""); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	if n := s.accepted(t, "192.0.2.2"); n != 5 {
		t.Errorf("another address: %d", n)
	}
	s.now = s.now.Add(time.Second)
	if n := s.accepted(t, "192.0.2.1"); n != 2 {
		t.Errorf("%d after a second, want 2", n)
	}
	// What a proxy that is not trusted reports does not make another client.
	if n := s.accepted(t, "192.0.2.1", "X-Forwarded-For", "198.51.100.7"); n != 0 {
		t.Errorf("a forged address: %d", n)
	}
	if n := s.accepted(t, "10.1.1.1", "X-Forwarded-For", "198.51.100.7"); n != 5 {
		t.Errorf("behind a proxy: %d", n)
	}
	if n := s.accepted(t, "10.1.1.1", "X-Forwarded-For", "198.51.100.8"); n != 5 {
		t.Errorf("another behind a proxy: %d", n)
	}
	if n := s.accepted(t, "2001:db8:1:2::1") + s.accepted(t, "2001:db8:1:2:ffff::9"); n != 5 {
		t.Errorf("a network of IPv6: %d, want 5", n)
	}
	if n := s.accepted(t, "2001:db8:1:3::1"); n != 5 {
		t.Errorf("another network of IPv6: %d", n)
	}
	s.now = s.now.Add(time.Hour)
	metrics := readAll(t, s.from("192.0.2.9", http.MethodGet, "/metrics", ""))
	if !strings.Contains(metrics, `roget_http_requests_total{action="throttle",status="4xx",type=""}`) {
		t.Error("429 is not counted")
	}
}

// TestRatesOfEntries checks that a bundle costs as much as its entries sent one by one.
func TestRatesOfEntries(t *testing.T) {
	for _, typ := range []string{"batch", "transaction"} {
		s := newRated(t, Rates{Requests: 10, Burst: 10})
		entries := strings.Repeat(`,{"request":{"method":"GET","url":"ValueSet/pets"}}`, 50)
		bundle := `{"resourceType":"Bundle","type":"` + typ + `","entry":[` + entries[1:] + `]}`
		if r := s.from("192.0.2.1", http.MethodPost, "/", bundle); r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", typ, r.StatusCode, readAll(t, r))
		}
		r := s.from("192.0.2.1", http.MethodGet, "/ValueSet/pets", "")
		wait, err := strconv.Atoi(r.Header.Get("Retry-After"))
		if r.StatusCode != http.StatusTooManyRequests || err != nil || wait != 5 {
			t.Errorf("%s: %d, Retry-After %d; 50 requests of 10 at once and 10 a second need 4.1 s", typ, r.StatusCode, wait)
		}
		s.now = s.now.Add(4 * time.Second)
		if n := s.accepted(t, "192.0.2.1"); n != 0 {
			t.Errorf("%s: %d requests after 4 s", typ, n)
		}
		s.now = s.now.Add(time.Second)
		if n := s.accepted(t, "192.0.2.1"); n < 9 || n > 10 {
			t.Errorf("%s: %d requests after 5 s", typ, n)
		}
	}
}

// tokens authenticates clients by tokens that name them.
type tokens struct{}

func (tokens) Authenticate(r *http.Request) (*access.Principal, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, nil
	}
	if token == "wrong" {
		return nil, errors.New("the token is not known")
	}
	if token == "expired" {
		return nil, fmt.Errorf("the token %w", access.ErrExpired)
	}
	return &access.Principal{Subject: token, Issuer: "test", Scopes: []string{"system/*.cruds"}}, nil
}

func guardedBy(a Authenticator) func(*Config) {
	return func(c *Config) { c.Authenticators = []Authenticator{a} }
}

func TestRatesOfPrincipals(t *testing.T) {
	s := newRated(t, Rates{Requests: 1, Burst: 4}, guardedBy(tokens{}))
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer ann"); n != 4 {
		t.Errorf("ann: %d", n)
	}
	if n := s.accepted(t, "192.0.2.2", "Authorization", "Bearer ann"); n != 0 {
		t.Errorf("ann elsewhere: %d", n)
	}
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer bob"); n != 4 {
		t.Errorf("bob at the address of ann: %d", n)
	}
	if n := s.accepted(t, "192.0.2.1"); n != 4 {
		t.Errorf("nobody: %d", n)
	}
	if n := s.accepted(t, "192.0.2.1", "X-Forwarded-For", "192.0.2.9"); n != 0 {
		t.Errorf("nobody again: %d", n)
	}
	for n := range 6 {
		if r := s.from("192.0.2.7", http.MethodGet, "/$versions", ""); (r.Header.Get("Retry-After") != "") != (n >= 4) {
			t.Error("$versions", n, r.StatusCode)
		}
	}
}

func TestFailedLogins(t *testing.T) {
	s := newRated(t, Rates{FailedLogins: 6}, guardedBy(tokens{}))
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer ann"); n != 100 {
		t.Errorf("good logins are limited to %d", n)
	}
	if n := s.accepted(t, "192.0.2.1"); n != 100 {
		t.Errorf("requests without credentials are limited to %d", n)
	}
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer wrong"); n != 6 {
		t.Errorf("%d failed logins, want 6", n)
	}
	// A guess that is right must not be told from one that is wrong.
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer ann"); n != 0 {
		t.Errorf("a good login after them: %d", n)
	}
	if n := s.accepted(t, "192.0.2.2", "Authorization", "Bearer ann"); n != 100 {
		t.Errorf("elsewhere: %d", n)
	}
	s.now = s.now.Add(10 * time.Second)
	if n := s.accepted(t, "192.0.2.1", "Authorization", "Bearer wrong"); n != 1 {
		t.Errorf("%d failed logins after 10 s, want 1", n)
	}
	// Browsers whose token expires send it with every request that runs, and then the new one.
	if n := s.accepted(t, "192.0.2.3", "Authorization", "Bearer expired"); n != 100 {
		t.Errorf("%d expired logins are answered, want 100", n)
	}
	open := newRated(t, Rates{FailedLogins: 1})
	if n := open.accepted(t, "192.0.2.1", "Authorization", "Bearer wrong"); n != 100 {
		t.Errorf("a server without authentication: %d", n)
	}
}

// TestBucketsAreBounded checks that a flood of addresses does not fill the memory.
func TestBucketsAreBounded(t *testing.T) {
	b, err := newBuckets(1, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.MustParseAddr("10.0.0.0")
	for range maxBuckets + 100 {
		b.take(rateKey{addr: addr}, 1, 1)
		addr = addr.Next()
	}
	if n := b.table.Len(); n != maxBuckets {
		t.Errorf("%d buckets, want %d", n, maxBuckets)
	}
}

func readAll(t *testing.T, r *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
