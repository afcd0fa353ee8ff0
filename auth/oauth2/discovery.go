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

// Times of the requests before a login, and of one for the sake of the document.
const (
	PreflightTime = 5 * time.Second
	DiscoveryTime = 10 * time.Second
)

// Discovery is what an authorization server says of itself at
// /.well-known/openid-configuration.
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

// Missing names the members that are needed and absent: issuer, authorization_endpoint,
// token_endpoint, jwks_uri.
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

// IssuerAdvice says what to do where the server mints tokens in another name than the
// address clients use, which it then refuses itself; "" where the names are the same.
func (d *Discovery) IssuerAdvice(baseURL string) string {
	if strings.TrimRight(d.Issuer, "/") == strings.TrimRight(baseURL, "/") {
		return ""
	}
	return fmt.Sprintf("the issuer is %q, not %q: %s", auth.Printable(d.Issuer, 200), baseURL, auth.AdviceIssuer)
}

// Discover reads the document of the server at a base URL, within a time. Redirects are
// followed. Its errors are FlowErrors of the kind auth.ErrDiscovery that say what to do.
// Platform toolkit, section 1.6.6.
func Discover(ctx context.Context, transport http.RoundTripper, baseURL string, within time.Duration) (*Discovery, error) {
	base, err := auth.CleanBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	answer, err := probe(ctx, &http.Client{Transport: transport}, base, "/.well-known/openid-configuration", within)
	if err != nil {
		return nil, err
	}
	notReady := func(detail string) (*Discovery, error) {
		return nil, &auth.FlowError{Kind: auth.ErrDiscovery, Status: answer.status, Detail: detail}
	}
	switch {
	case answer.status == http.StatusNotFound:
		return notReady(auth.AdviceServer)
	case answer.status >= 400:
		return notReady("the authorization server may be misconfigured")
	}
	var found Discovery
	if json.Unmarshal(answer.body, &found) != nil {
		return notReady("the discovery document is " + auth.Printable(cmp.Or(answer.kind, "of no content type"), 80) + ", not JSON; the authorization server is not fully configured")
	}
	return &found, nil
}

// Preflight checks, before anybody is asked to sign in, that the server has OAuth2: its
// discovery document is there and its authorize endpoint takes the request that a login
// makes. It gives the document.
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
		detail = auth.AdviceServer
	case answer.status >= 500:
		detail = auth.AdviceLogin
	case answer.status == http.StatusBadRequest:
		detail = "the client_id, redirect_uri or scope is not registered: register the client, or correct the profile"
	default: // others depend on who asks, and a browser will be somebody else
		return found, nil
	}
	if strings.Contains(answer.kind, "json") || strings.HasPrefix(answer.kind, "text/plain") {
		detail += "; the server says: " + auth.Printable(string(answer.body), maxShown)
	}
	return nil, &auth.FlowError{Kind: auth.ErrDiscovery, Status: answer.status, Detail: detail}
}

// probed is the answer to a probe.
type probed struct {
	status int
	kind   string // its content type
	body   []byte // of which at most maxBody bytes
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
	if errors.As(err, &wrapped) { // without the query
		err = wrapped.Err
	}
	detail := "cannot reach " + base + "; is it running"
	var network net.Error
	if errors.As(err, &network) && network.Timeout() || limited.Err() != nil {
		detail = fmt.Sprintf("timed out probing %s, after %.0fs", base, within.Seconds())
	}
	return probed{}, &auth.FlowError{Kind: auth.ErrDiscovery, Detail: detail, Err: err}
}
