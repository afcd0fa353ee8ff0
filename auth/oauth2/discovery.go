package oauth2

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/auth"
)

// Timeouts: of each request before a login, and of a request for the discovery document alone.
const (
	PreflightTime = 5 * time.Second
	DiscoveryTime = 10 * time.Second
)

// A Discovery is the document of an authorization server at /.well-known/openid-configuration.
type Discovery struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	JWKSURI               string   `json:"jwks_uri"`
	UserinfoEndpoint      string   `json:"userinfo_endpoint,omitempty"`
	ScopesSupported       []string `json:"scopes_supported,omitempty"`
	ResponseTypes         []string `json:"response_types_supported,omitempty"`
	GrantTypes            []string `json:"grant_types_supported,omitempty"`
}

// Missing returns the names of the required members that are absent. Required are issuer,
// authorization_endpoint, token_endpoint and jwks_uri.
func (d *Discovery) Missing() (names []string) {
	for _, member := range []struct{ name, value string }{
		{"issuer", d.Issuer},
		{"authorization_endpoint", d.AuthorizationEndpoint},
		{"token_endpoint", d.TokenEndpoint},
		{"jwks_uri", d.JWKSURI},
	} {
		if member.value == "" {
			names = append(names, member.name)
		}
	}
	return names
}

// IssuerAdvice returns what to do if the server issues tokens under another name than the base URL,
// because it refuses such tokens. It returns "" if the names are equal.
func (d *Discovery) IssuerAdvice(baseURL string, advice auth.Advice) string {
	if strings.TrimRight(d.Issuer, "/") == strings.TrimRight(baseURL, "/") {
		return ""
	}
	return fmt.Sprintf("the issuer is %q, not %q: %s", auth.Printable(d.Issuer, 200), baseURL, advice.Issuer)
}

// Discover fetches the discovery document of the server at a base URL, and follows redirects. Its
// errors are FlowErrors of kind auth.ErrDiscovery that say what to do. Platform toolkit, section
// 1.6.6.
func Discover(ctx context.Context, transport http.RoundTripper, baseURL string, within time.Duration) (*Discovery, error) {
	base, err := auth.CleanBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	answer, err := probe(ctx, &http.Client{Transport: script{transport}}, base, "/.well-known/openid-configuration", within)
	if err != nil {
		return nil, err
	}
	notReady := func(detail string) (*Discovery, error) {
		return nil, &auth.FlowError{Kind: auth.ErrDiscovery, Status: answer.status, Detail: detail}
	}
	switch {
	case answer.status == http.StatusNotFound:
		return notReady(auth.AdviceFor(nil).Server)
	case answer.status >= 400:
		return notReady("the authorization server may be misconfigured")
	}
	var found Discovery
	if json.Unmarshal(answer.body, &found) != nil {
		return notReady("the discovery document is " + auth.Printable(cmp.Or(answer.kind, "a document without a content type"), 80) + ", not JSON; the authorization server is not fully configured")
	}
	return &found, nil
}

// Preflight checks, before the user is asked to sign in, that the server supports OAuth2: it has a
// discovery document, and its authorize endpoint accepts the request of a login. Preflight returns
// the document.
func (p *Provider) Preflight(ctx context.Context) (*Discovery, error) {
	found, err := Discover(ctx, p.config.Transport, p.config.BaseURL, PreflightTime)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: p.config.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	address := strings.TrimPrefix(p.authorizeURL(p.config.RedirectURI, random(verifierBytes), random(stateBytes)), p.config.BaseURL)
	answer, err := probe(ctx, client, p.config.BaseURL, address, PreflightTime)
	if err != nil {
		return nil, err
	}
	detail := ""
	switch {
	case answer.status == http.StatusNotFound:
		detail = p.config.Advice.Server
	case answer.status >= 500:
		detail = p.config.Advice.Login
	case answer.status == http.StatusBadRequest:
		detail = "the client_id, redirect_uri or scope is not registered: register the client, or correct the profile"
	default: // the browser, which has its own session, may get another status
		return found, nil
	}
	if strings.Contains(answer.kind, "json") || strings.HasPrefix(answer.kind, "text/plain") {
		detail += "; the server says: " + auth.Printable(string(answer.body), maxShown)
	}
	return nil, &auth.FlowError{Kind: auth.ErrDiscovery, Status: answer.status, Detail: detail}
}

// probed is the response to a probe.
type probed struct {
	status int
	kind   string // its content type
	body   []byte // at most maxBody bytes
}

// script marks requests as those of a script, so that the platform answers them with a status instead of
// its login page (V5 of the rules by version). The authorize endpoint is for browsers and gets no mark.
type script struct{ next http.RoundTripper }

func (s script) RoundTrip(request *http.Request) (*http.Response, error) {
	next := s.next
	if next == nil {
		next = http.DefaultTransport
	}
	request = request.Clone(request.Context())
	request.Header.Set("X-Requested-With", "XMLHttpRequest")
	return next.RoundTrip(request)
}

// probe sends a GET.
func probe(ctx context.Context, client *http.Client, base, path string, within time.Duration) (probed, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, base+path, nil)
	if err != nil {
		return probed{}, err
	}
	request.Header.Set("Accept", "application/json, text/html;q=0.5")
	answer, err := client.Do(request)
	if err == nil {
		defer answer.Body.Close()
		var body []byte
		if body, err = io.ReadAll(io.LimitReader(answer.Body, maxBody)); err == nil {
			return probed{answer.StatusCode, answer.Header.Get("Content-Type"), body}, nil
		}
	}
	if ctx.Err() != nil {
		return probed{}, ctx.Err()
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // its text contains the query
		err = wrapped.Err
	}
	detail := "cannot reach " + base + " (is it running?)"
	var network net.Error
	if errors.As(err, &network) && network.Timeout() || limited.Err() != nil {
		detail = fmt.Sprintf("timed out probing %s, after %.0fs", base, within.Seconds())
	}
	return probed{}, &auth.FlowError{Kind: auth.ErrDiscovery, Detail: detail, Err: err}
}
