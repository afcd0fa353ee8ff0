package mcpadapter

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/auth"
)

// HTTPOptions configure the server over HTTP.
type HTTPOptions struct {
	// Token is what clients send as "Authorization: Bearer TOKEN". Without one, only clients
	// on the same machine may call: the listener must be on a loopback address.
	Token auth.Secret
	// Hosts are names, besides those of the loopback interface and the address of the
	// listener, under which clients reach the server.
	Hosts []string
	// Origins are origins that browsers may call from, besides pages of the server itself.
	Origins []string
	// Drain is the longest time to finish calls at the end; 0 means 10 s.
	Drain time.Duration
}

const (
	// Path is where the server answers.
	Path = "/mcp"

	maxSessions  = 1000
	sessionTime  = 30 * time.Minute // without a request
	headerTime   = 10 * time.Second
	bodyTime     = 60 * time.Second
	defaultDrain = 10 * time.Second
)

// ErrTokenNeeded is returned for an address beyond this machine without a token.
var ErrTokenNeeded = errors.New("a server that listens beyond this machine needs a token")

// Serve answers over HTTP until ctx ends, then finishes the calls at work.
func (s *Server) Serve(ctx context.Context, listener net.Listener, o HTTPOptions) error {
	handler, err := s.Handler(listener.Addr(), o)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain := o.Drain
	if drain == 0 {
		drain = defaultDrain
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Shutdown(ending) }()
	s.idle(ending) // calls first: a session that is closed cancels its calls
	for session := range s.mcp.Sessions() {
		_ = session.Close() // ends its stream, which would keep the connection
	}
	if err := <-stopped; err != nil {
		return server.Close()
	}
	return nil
}

// idle waits until no request with a message is being answered, or ctx ends.
func (s *Server) idle(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for s.posts.Load() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Handler returns the handler of a server that listens on addr.
func (s *Server) Handler(addr net.Addr, o HTTPOptions) (http.Handler, error) {
	local := loopback(addr)
	if o.Token.IsZero() && !local {
		return nil, ErrTokenNeeded
	}
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(addr.String()); err == nil {
		hosts = append(hosts, host)
	}
	g := &gate{
		hosts: append(hosts, o.Hosts...), origins: o.Origins, anyHost: !local && len(o.Hosts) == 0, token: o.Token,
		server: s, next: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{
			SessionTimeout: sessionTime, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
			// The gate checks hosts and origins, with the names of a proxy.
			DisableLocalhostProtection: true,
		}),
	}
	mux := http.NewServeMux()
	mux.Handle(Path, g)
	return mux, nil
}

// loopback reports whether only this machine reaches an address.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// A gate lets in who may call.
type gate struct {
	hosts, origins []string
	anyHost        bool // the token alone decides
	token          auth.Secret
	server         *Server
	next           http.Handler
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !g.hostKnown(r.Host):
		// A page that made its own name lead here must not reach the server.
		refuse(w, http.StatusForbidden, "the server does not answer to this Host; roget mcp --host NAME adds a name")
	case !g.originKnown(r):
		refuse(w, http.StatusForbidden, "the server does not answer to this Origin; roget mcp --origin ORIGIN adds one")
	case !g.tokenKnown(r.Header.Get("Authorization")):
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "send the token as Authorization: Bearer TOKEN")
	case r.Header.Get("Mcp-Session-Id") == "" && g.full():
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, "too many sessions")
	default:
		if r.Method == http.MethodPost {
			g.server.posts.Add(1)
			defer g.server.posts.Add(-1)
			r.Body = timed(w, r.Body)
		}
		g.next.ServeHTTP(w, r)
	}
}

// A timedBody must arrive within bodyTime. The time ends with the body: the answer may take
// longer.
type timedBody struct {
	io.ReadCloser
	connection *http.ResponseController
}

func timed(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	b := &timedBody{body, http.NewResponseController(w)}
	_ = b.connection.SetReadDeadline(time.Now().Add(bodyTime)) // writers of tests have none
	return b
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		_ = b.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, status)
}

// hostKnown reports whether a Host header names the server.
func (g *gate) hostKnown(host string) bool {
	if g.anyHost {
		return true
	}
	return slices.ContainsFunc(g.hosts, func(known string) bool { return strings.EqualFold(known, bare(host)) })
}

// bare returns a host without port and brackets.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// originKnown reports whether a request comes from no browser, from a page of the server, or
// from an origin that is allowed.
func (g *gate) originKnown(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		site := r.Header.Get("Sec-Fetch-Site")
		return site == "" || site == "none" || site == "same-origin"
	}
	if slices.Contains(g.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// tokenKnown compares the token of a request in constant time.
func (g *gate) tokenKnown(header string) bool {
	if g.token.IsZero() {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, "Bearer") && g.token.Equal(auth.NewSecret(strings.TrimSpace(token)))
}

// full reports whether there are as many sessions as may be.
func (g *gate) full() bool {
	n := 0
	for range g.server.mcp.Sessions() {
		n++
	}
	return n >= maxSessions
}
