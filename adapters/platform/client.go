package platform

import (
	"errors"
	"net/http"
	"sync"

	"github.com/roget-health/roget/auth"
)

// A Client sends requests to one platform. It is safe for concurrent use.
type Client struct {
	given    string // base URL of New or Connect
	base     string // canonical URL without a trailing slash
	provider auth.Provider
	options  Options
	http     *http.Client // follows no redirects
	major    Major        // 0: not bound
	version  string       // as reported by the server; "" before it was asked

	debugMu sync.Mutex // for debug lines and notices
	cache   systemCache

	routesMu sync.Mutex
	routes   map[string]string // uids of routes by code, never expired
}

// New returns a client without sending a request. Its major is Options.Pin, or unknown without a pin.
// Platform toolkit, section 2.1, skip version probe.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	base, err := auth.CleanBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	if provider == nil {
		return nil, errors.New("the client has no auth.Provider; pass one of those in package auth")
	}
	if options, err = options.complete(); err != nil {
		return nil, err
	}
	return &Client{
		given: base, base: base, provider: provider, options: options, major: options.Pin,
		http: &http.Client{Transport: options.Transport, CheckRedirect: noRedirects},
	}, nil
}

func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// BaseURL returns the URL of the platform without a trailing slash. After Connect it is canonical.
func (c *Client) BaseURL() string { return c.base }

// Major returns the major that the client is bound to, or ErrNotBound.
func (c *Client) Major() (Major, error) {
	if c.major == 0 {
		return 0, ErrNotBound
	}
	return c.major, nil
}

// Features returns the features of the bound major, or ErrNotBound.
func (c *Client) Features() (*Features, error) {
	major, err := c.Major()
	if err != nil {
		return nil, err
	}
	return major.Features(), nil
}

// codec returns the functions of the bound major, or ErrNotBound.
func (c *Client) codec() (Codec, error) {
	major, err := c.Major()
	if err != nil {
		return nil, err
	}
	return major.Codec(), nil
}

// ServerVersion returns the version that the server reported to Connect, such as 2.42.4. It is "" for
// a client made by New.
func (c *Client) ServerVersion() string { return c.version }

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.http.CloseIdleConnections() }
