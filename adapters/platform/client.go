package platform

import (
	"errors"
	"net/http"
	"sync"

	"github.com/roget-health/roget/auth"
)

// Client talks to one platform. It is safe for concurrent use.
type Client struct {
	base     string // canonical address without a slash at its end
	provider auth.Provider
	options  Options
	http     *http.Client // follows no redirects
	major    Major        // 0: not bound
	version  string       // as the server reports it; "" where it was not asked

	debugMu sync.Mutex // one debug line at a time
	cache   systemCache

	routesMu sync.Mutex
	routes   map[string]string // uid of a route by its code, for the client's life
}

// New makes a client without sending anything. Its major is Options.Pin, unknown where
// there is no pin. Platform toolkit, section 2.1, skip version probe.
func New(baseURL string, provider auth.Provider, options Options) (*Client, error) {
	base, err := auth.CleanBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	if provider == nil {
		return nil, errors.New("the client has no provider of authentication; give it one of package auth")
	}
	if options, err = options.complete(); err != nil {
		return nil, err
	}
	return &Client{
		base: base, provider: provider, options: options, major: options.Pin,
		http: &http.Client{Transport: options.Transport, CheckRedirect: noRedirects},
	}, nil
}

func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// BaseURL is the address of the platform, without a slash at its end; after Connect the
// canonical one.
func (c *Client) BaseURL() string { return c.base }

// Major is the major the client is bound to; ErrNotBound where there is none.
func (c *Client) Major() (Major, error) {
	if c.major == 0 {
		return 0, ErrNotBound
	}
	return c.major, nil
}

// Traits are those of the bound major; ErrNotBound where there is none.
func (c *Client) Traits() (*Traits, error) {
	major, err := c.Major()
	if err != nil {
		return nil, err
	}
	return major.Traits(), nil
}

// wire has the functions of the bound major.
func (c *Client) wire() (Wire, error) {
	major, err := c.Major()
	if err != nil {
		return nil, err
	}
	return major.Wire(), nil
}

// ServerVersion is the version the server reported to Connect, such as 2.42.4; "" for a
// client made by New.
func (c *Client) ServerVersion() string { return c.version }

// Close closes connections that are idle. The client can be used after it.
func (c *Client) Close() { c.http.CloseIdleConnections() }
