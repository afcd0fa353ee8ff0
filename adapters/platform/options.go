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
	"time"

	"github.com/roget-health/roget/auth"
)

// Defaults of Options. Platform toolkit, section 2.1.
const (
	DefaultReadTimeout    = 30 * time.Second
	DefaultConnectTimeout = 60 * time.Second
	DefaultCacheTTL       = 300 * time.Second
	DefaultMaxAnswer      = 256 << 20
	defaultUserAgent      = "roget"
	maxConnections        = 100
	maxIdleConnections    = 20
	idleConnectionTime    = 90 * time.Second
)

// A Hook runs before every request, including retries and the requests of Connect. If it returns an
// error, the request is not sent, and the error, with ErrVetoed in its chain, is the result.
type Hook func(*http.Request) error

// Options are the settings of a client. The zero value is valid. Platform toolkit, section 2.1.
type Options struct {
	ReadTimeout     time.Duration // for the response header, and for each further part of the body; 0 is 30 s
	ConnectTimeout  time.Duration // 0 is 60 s
	Retry           *RetryPolicy  // nil: no retries
	Pin             Major         // 0: bind to the server's major
	AllowMismatch   bool          // allow a pin that is not the server's major
	AllowFallback   bool          // bind an unknown major to the nearest lower supported major
	TLS             *tls.Config   // nil: the settings of the system
	CacheTTL        time.Duration // of system information and settings; 0 is 300 s, negative disables the cache
	MaxAnswer       int64         // limit of a response body in bytes; 0 is 256 MiB
	Hooks           []Hook
	UserAgent       string
	ConnectionCache ConnectionCache   // of addresses and versions of platforms for Connect; may be nil
	Debug           io.Writer         // one line per request: method, URL, status, bytes, milliseconds
	Transport       http.RoundTripper // nil: a transport with TLS, the timeouts and connection limits
	Now             func() time.Time  // nil: time.Now
}

// complete returns the options with their defaults.
func (o Options) complete() (Options, error) {
	if o.Pin != 0 && !o.Pin.Supported() {
		return o, &UnsupportedVersionError{Version: o.Pin.String(), Available: Majors()}
	}
	if o.Transport != nil && o.TLS != nil {
		return o, errors.New("Options have both TLS and Transport; set TLS in the transport")
	}
	if o.Retry != nil {
		policy, err := o.Retry.complete()
		if err != nil {
			return o, err
		}
		o.Retry = &policy
	}
	o.ReadTimeout = cmp.Or(o.ReadTimeout, DefaultReadTimeout)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, DefaultConnectTimeout)
	o.CacheTTL = cmp.Or(o.CacheTTL, DefaultCacheTTL)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, DefaultMaxAnswer)
	o.UserAgent = cmp.Or(o.UserAgent, defaultUserAgent)
	if o.ReadTimeout < 0 || o.ConnectTimeout < 0 || o.MaxAnswer < 0 {
		return o, fmt.Errorf("ReadTimeout %v, ConnectTimeout %v and MaxAnswer %d cannot be negative", o.ReadTimeout, o.ConnectTimeout, o.MaxAnswer)
	}
	o.MaxAnswer = min(o.MaxAnswer, math.MaxInt64-1) // read asks for one byte more
	if auth.HasControl(o.UserAgent) {
		return o, errors.New("UserAgent contains a control character, which a header must not have")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		o.Transport = transport(o)
	}
	return o, nil
}

func transport(o Options) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: o.ConnectTimeout}).DialContext,
		TLSClientConfig:       o.TLS.Clone(),
		TLSHandshakeTimeout:   o.ConnectTimeout,
		ResponseHeaderTimeout: o.ReadTimeout,
		MaxConnsPerHost:       maxConnections,
		MaxIdleConns:          maxIdleConnections,
		MaxIdleConnsPerHost:   maxIdleConnections,
		IdleConnTimeout:       idleConnectionTime,
		ForceAttemptHTTP2:     true,
	}
}
