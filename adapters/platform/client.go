package platform

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/roget-health/roget/auth"
)

// Defaults of Options. Platform toolkit, section 2.1.
const (
	DefaultReadTimeout    = 30 * time.Second
	DefaultConnectTimeout = 60 * time.Second
	DefaultCacheTTL       = 300 * time.Second
	DefaultMaxAnswer      = 256 << 20
	DefaultSecretCost     = 10
	defaultUserAgent      = "roget"
	maxConnections        = 100
	maxIdleConnections    = 20
	idleConnectionTime    = 90 * time.Second
)

// A Hook runs before every request, each attempt of a retry and those of Connect included.
// An error vetoes the request: nothing is sent, and the error is the result.
type Hook func(*http.Request) error

// Options of a client; the zero value is fine. Platform toolkit, section 2.1.
type Options struct {
	ReadTimeout    time.Duration // waiting for an answer, and for each next part of it; 0 is 30 s
	ConnectTimeout time.Duration // 0 is 60 s
	Retry          *RetryPolicy  // nil: no request is sent twice
	Pin            Major         // 0: bind to the server's major
	AllowMismatch  bool          // a pin may differ from the server's major
	AllowFallback  bool          // an unknown major binds the nearest lower one that is supported
	TLS            *tls.Config   // certificates to trust, for example; nil: those of the system
	CacheTTL       time.Duration // of system information and settings; 0 is 300 s, negative is off
	MaxAnswer      int64         // bytes of an answer that are read before it is an error; 0 is 256 MiB
	SecretCost     int           // of the BCrypt hashes of client secrets, 4 to 31; 0 is 10
	Hooks          []Hook
	UserAgent      string
	Debug          io.Writer         // one line for each request: method, address, status, bytes, milliseconds
	Transport      http.RoundTripper // nil: one of the client's own, with TLS, timeouts and limits of connections
	Now            func() time.Time  // nil: time.Now
}

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
	if options.Pin != 0 && !options.Pin.Supported() {
		return nil, &UnsupportedVersionError{Version: options.Pin.String(), Available: Majors()}
	}
	if options.Transport != nil && options.TLS != nil {
		return nil, errors.New("Options have both TLS and Transport; set TLS in the transport")
	}
	options.SecretCost = cmp.Or(options.SecretCost, DefaultSecretCost)
	if options.SecretCost < bcrypt.MinCost || options.SecretCost > bcrypt.MaxCost {
		return nil, fmt.Errorf("SecretCost %d is not from %d to %d", options.SecretCost, bcrypt.MinCost, bcrypt.MaxCost)
	}
	if options.Retry != nil {
		policy, err := options.Retry.complete()
		if err != nil {
			return nil, err
		}
		options.Retry = &policy
	}
	options.ReadTimeout = cmp.Or(options.ReadTimeout, DefaultReadTimeout)
	options.ConnectTimeout = cmp.Or(options.ConnectTimeout, DefaultConnectTimeout)
	options.CacheTTL = cmp.Or(options.CacheTTL, DefaultCacheTTL)
	options.MaxAnswer = cmp.Or(options.MaxAnswer, DefaultMaxAnswer)
	options.UserAgent = cmp.Or(options.UserAgent, defaultUserAgent)
	if options.ReadTimeout < 0 || options.ConnectTimeout < 0 || options.MaxAnswer < 0 {
		return nil, fmt.Errorf("ReadTimeout %v, ConnectTimeout %v and MaxAnswer %d cannot be negative", options.ReadTimeout, options.ConnectTimeout, options.MaxAnswer)
	}
	options.MaxAnswer = min(options.MaxAnswer, math.MaxInt64-1) // one more byte is asked for
	if auth.HasControl(options.UserAgent) {
		return nil, errors.New("UserAgent has a control character, which no header can carry")
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Transport == nil {
		options.Transport = transport(options)
	}
	return &Client{
		base: base, provider: provider, options: options, major: options.Pin,
		http: &http.Client{Transport: options.Transport, CheckRedirect: noRedirects},
	}, nil
}

func transport(options Options) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: options.ConnectTimeout}).DialContext,
		TLSClientConfig:       options.TLS.Clone(),
		TLSHandshakeTimeout:   options.ConnectTimeout,
		ResponseHeaderTimeout: options.ReadTimeout,
		MaxConnsPerHost:       maxConnections,
		MaxIdleConns:          maxIdleConnections,
		MaxIdleConnsPerHost:   maxIdleConnections,
		IdleConnTimeout:       idleConnectionTime,
		ForceAttemptHTTP2:     true,
	}
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
