package platform

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
)

// TestNew: what a client is not made of. Platform toolkit, section 2.1.
func TestNew(t *testing.T) {
	provider := auth.NewPAT(auth.NewSecret("planted"))
	for _, test := range []struct {
		address  string
		provider auth.Provider
		options  Options
		want     string
	}{
		{"ftp://a", provider, Options{}, "base_url"},
		{"https://ada:planted@a", provider, Options{}, "base_url"},
		{"https://a", nil, Options{}, "no auth.Provider"},
		{"https://a", provider, Options{Pin: 44}, `version "v44"`},
		{"https://a", provider, Options{TLS: &tls.Config{}, Transport: http.DefaultTransport}, "both TLS and Transport"},
		{"https://a", provider, Options{Retry: &RetryPolicy{Attempts: 11}}, "11 attempts"},
		{"https://a", provider, Options{ReadTimeout: -1}, "negative"},
		{"https://a", provider, Options{UserAgent: "a\n"}, "UserAgent"},
	} {
		c, err := New(test.address, test.provider, test.options)
		if err == nil || c != nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s, %+v: %v", test.address, test.options, err)
		}
	}
	c, err := New("https://platform.example/ctx//", provider, Options{})
	if err != nil || c.BaseURL() != "https://platform.example/ctx" || c.ServerVersion() != "" {
		t.Fatal(err, c.BaseURL())
	}
	_, unbound := c.Major()
	_, withoutFeatures := c.Features()
	_, withoutCodec := c.codec()
	for _, err := range []error{unbound, withoutFeatures, withoutCodec} {
		if !errors.Is(err, ErrNotBound) {
			t.Error(err)
		}
	}
	own := c.options.Transport.(*http.Transport)
	if c.options.ReadTimeout != 30*time.Second || own.ResponseHeaderTimeout != 30*time.Second || own.TLSHandshakeTimeout != 60*time.Second ||
		own.MaxConnsPerHost != 100 || own.MaxIdleConns != 20 || c.options.CacheTTL != 300*time.Second || c.options.Retry != nil {
		t.Errorf("defaults: %+v", c.options)
	}
	if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, "planted") {
		t.Error(text)
	}
}

// counting notes the order in which a client asks its provider.
type counting struct {
	mu    sync.Mutex
	calls string
	fails error
}

func (p *counting) note(call string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls += call
	return p.fails
}

func (p *counting) Headers(context.Context) (map[string]string, error) {
	return map[string]string{"X-A": "a"}, p.note("H")
}

func (p *counting) RefreshIfNeeded(context.Context) error { return p.note("R") }

// TestProvider: Platform client, section 2.1: the provider is asked before each request,
// and any value with its two methods is one. A 401 is not tried again.
// Rows of docs/platform.md: 2.1.1, 2.1.2, 2.1.3, 4.15.
func TestProvider(t *testing.T) {
	requests := 0
	c := serve(t, Options{Retry: &RetryPolicy{Statuses: []int{401, 503}, Base: time.Nanosecond}}, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header.Get("X-A") != "a" {
			t.Error("without the provider's header")
		}
		switch {
		case r.URL.Path == "/api/401":
			w.WriteHeader(http.StatusUnauthorized)
		case requests == 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	provider := &counting{}
	c.provider = provider
	var refused *AuthenticationError
	if err := c.get(t.Context(), "/api/401", nil, nil); !errors.As(err, &refused) || provider.calls != "RH" || requests != 1 {
		t.Error(err, provider.calls, requests)
	}
	if err := c.get(t.Context(), "/api/x", nil, nil); err != nil || provider.calls != "RHRHRH" {
		t.Error(err, provider.calls)
	}
	provider.fails = &auth.FlowError{Kind: auth.ErrLoginNeeded}
	var base ClientError
	if err := c.get(t.Context(), "/api/x", nil, nil); !errors.Is(err, auth.ErrLoginNeeded) || !errors.As(err, &base) || requests != 3 {
		t.Error(err, requests)
	}
	c.provider = auth.NewPAT(auth.NewSecret("planted\n"))
	if err := c.get(t.Context(), "/api/x", nil, nil); err == nil || strings.Contains(err.Error(), "planted") || requests != 3 {
		t.Error(err, requests)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	var out strings.Builder
	c := serve(t, Options{Debug: &out}, answer(200, `{"version":"2.42.4"}`))
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if info, err := c.System().Info(t.Context()); err != nil || info.Version != "2.42.4" {
					t.Error(err)
				}
				if err := c.get(t.Context(), "/api/x", nil, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if lines := strings.Count(out.String(), "\n"); lines != 41 {
		t.Errorf("%d lines, one for each of 40 requests and one for system information", lines)
	}
	c.Close()
}

// TestDebug: one line for each request, without headers and without values that may be
// secret. Platform toolkit, section 2.3.
func TestDebug(t *testing.T) {
	var out strings.Builder
	c := serve(t, Options{Debug: &out}, answer(404, "12345"))
	query := url.Values{"fields": {"id,name"}, "token": {"planted", "planted2"}}
	_, err := c.Raw(t.Context(), Request{Path: "/api/x/" + segment("a b"), Query: query, Header: http.Header{"X-Planted": {"planted"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `^GET ` + regexp.QuoteMeta(c.base) + `/api/x/a%20b\?fields=id%2Cname&token=%2A%2A%2A&token=%2A%2A%2A 404 5 bytes \d+ ms\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("%q", out.String())
	}
	if query.Get("token") != "planted" {
		t.Error("the query of the caller has changed")
	}
	out.Reset()
	c.options.MaxAnswer = 1
	if err := c.get(t.Context(), "/api/x", nil, nil); err == nil || !strings.Contains(out.String(), "failed (the response is longer") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%v: %q", err, out.String())
	}
}
