package oauth2

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/auth"
)

// Limits of the listener. Browsers open connections that they do not use, so a few may be open at a
// time.
const (
	maxHead        = 8 << 10 // bytes
	maxConnections = 16
	headTime       = 10 * time.Second
	answerTime     = 5 * time.Second
	drainTime      = time.Second
	defaultPort    = "8765"
)

// listener waits for one HTTP request on the loopback interface.
type listener struct {
	sockets  []net.Listener
	redirect string // the redirect URI, with the port in use
}

// listen binds host and port of a redirect URI: for localhost 127.0.0.1 and, if it exists, ::1. Port
// 0 takes a free port. Hosts that are not loopback are refused.
func listen(redirect string) (*listener, error) {
	refuse := func(why string) (*listener, error) {
		return nil, &auth.FieldError{Field: "redirect_uri", Err: fmt.Errorf("%q %s; write %s", redirect, why, auth.DefaultRedirectURI)}
	}
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" || u.Fragment != "" || u.User != nil {
		return refuse("is not a URL that begins with http://, without user name and fragment")
	}
	hosts := []string{u.Hostname()}
	if u.Hostname() == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	} else if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return refuse("does not name this machine")
	}
	port := cmp.Or(u.Port(), defaultPort)
	l := &listener{}
	for i, host := range hosts {
		socket, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil && (i == 0 || taken(host, port)) {
			l.close()
			return nil, &auth.FlowError{Kind: auth.ErrListen, Detail: "is " + net.JoinHostPort(host, port) + " in use? Close what uses it, or choose another redirect_uri", Err: err}
		}
		if err == nil {
			l.sockets = append(l.sockets, socket)
			port = strconv.Itoa(socket.Addr().(*net.TCPAddr).Port)
		}
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	l.redirect = u.String()
	return l, nil
}

// taken reports whether a program listens at an address.
func taken(host, port string) bool {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func (l *listener) close() {
	for _, socket := range l.sockets {
		_ = socket.Close()
	}
}

// head is a connection and the request that was read from it.
type head struct {
	conn    net.Conn
	request *http.Request // nil if it could not be read
}

// code serves one request and returns its code. A connection that sends nothing is no request. The
// sockets are closed before the response is written, so that no other request is served.
func (l *listener) code(ctx context.Context, state string) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	heads := make(chan head)
	var group errgroup.Group
	group.SetLimit(maxConnections + len(l.sockets))
	for _, socket := range l.sockets {
		group.Go(func() error {
			for {
				conn, err := socket.Accept()
				if err != nil {
					return nil //nolint:nilerr // the socket was closed
				}
				group.Go(func() error { receive(ctx, conn, heads); return nil })
			}
		})
	}
	defer group.Wait() //nolint:errcheck // the functions return nil
	defer cancel()
	defer l.close()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case h := <-heads:
		l.close()
		defer func() { _ = h.conn.Close() }()
		verdict := judge(h.request, state)
		verdict.answer(h.conn)
		return verdict.code, verdict.err
	}
}

// receive reads the head of a request and passes it on with its connection, or closes the connection.
func receive(ctx context.Context, conn net.Conn, heads chan<- head) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(headTime))
	request, sent := readHead(conn)
	if !sent || !stop() {
		_ = conn.Close()
		return
	}
	select {
	case heads <- head{conn, request}:
	case <-ctx.Done():
		_ = conn.Close()
	}
}

// readHead reads the head of a request. The request is nil if the head is malformed or longer than
// maxHead. sent reports whether anything was received.
func readHead(from io.Reader) (request *http.Request, sent bool) {
	limited := &io.LimitedReader{R: from, N: maxHead}
	request, err := http.ReadRequest(bufio.NewReader(limited))
	if err != nil {
		return nil, limited.N < maxHead
	}
	return request, true
}
