package mcpadapter_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/mcpadapter"
	"github.com/roget-health/roget/mcpadapter/answer"
)

// toy is a toolset with a tool that answers at once, and one that waits.
type toy struct {
	begun, ended chan error
	release      chan struct{}
}

func newToy() *toy {
	return &toy{begun: make(chan error, 10), ended: make(chan error, 10), release: make(chan struct{})}
}

func (*toy) Name() string         { return "toy" }
func (*toy) Instructions() string { return "Say something." }

type echo struct {
	Text string `json:"text"`
}

func (x *toy) Add(s *mcp.Server) error {
	about := func(name string) answer.Tool {
		return answer.Tool{Name: name, Title: name, Description: name, Reads: true, Limit: 8000, Timeout: time.Minute}
	}
	answer.Add(s, about("echo"), func(_ context.Context, in echo) (echo, string, error) { return in, in.Text, nil })
	answer.Add(s, about("wait"), func(ctx context.Context, in echo) (echo, string, error) {
		x.begun <- nil
		select {
		case <-ctx.Done():
			x.ended <- ctx.Err()
			return echo{}, "", ctx.Err()
		case <-x.release:
			return in, in.Text, nil
		}
	})
	return nil
}

const token = "correct-horse-battery-staple"

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// serving runs a server until stop, whose error is that of Serve.
func serving(t *testing.T, x *toy, o mcpadapter.HTTPOptions) (url string, stop func() error) {
	t.Helper()
	server, err := mcpadapter.New(mcpadapter.Config{Toolsets: []mcpadapter.Toolset{x}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener, o) }()
	t.Cleanup(cancel)
	return "http://" + listener.Addr().String() + mcpadapter.Path, func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(30 * time.Second):
			return errors.New("the server goes on")
		}
	}
}

// connected is a client over HTTP.
func connected(t *testing.T, url string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// TestHTTP: a client of the SDK lists and calls tools over streamable HTTP.
func TestHTTP(t *testing.T) {
	url, stop := serving(t, newToy(), mcpadapter.HTTPOptions{Token: auth.NewSecret(token)})
	session := connected(t, url)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echo{"hello\x1b[31m\u202e"}})
	if err != nil || result.StructuredContent.(map[string]any)["text"] != "hello [31m " {
		t.Errorf("%v, %v", result, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestGate: who may call over HTTP.
func TestGate(t *testing.T) {
	server, err := mcpadapter.New(mcpadapter.Config{Toolsets: []mcpadapter.Toolset{newToy()}})
	if err != nil {
		t.Fatal(err)
	}
	near, far := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8090}, &net.TCPAddr{IP: net.IPv4zero, Port: 8090}
	secret := auth.NewSecret(token)
	if _, err := server.Handler(far, mcpadapter.HTTPOptions{}); !errors.Is(err, mcpadapter.ErrTokenNeeded) {
		t.Errorf("beyond this machine without a token: %v", err)
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for name, c := range map[string]struct {
		addr    net.Addr
		options mcpadapter.HTTPOptions
		host    string
		header  []string
		body    string
		want    int
	}{
		"near, no token needed":   {near, mcpadapter.HTTPOptions{}, "127.0.0.1:8090", nil, hello, 200},
		"localhost":               {near, mcpadapter.HTTPOptions{}, "localhost:8090", nil, hello, 200},
		"the other loopback":      {near, mcpadapter.HTTPOptions{}, "[::1]:8090", nil, hello, 200},
		"a name that leads here":  {near, mcpadapter.HTTPOptions{}, "evil.example:8090", nil, hello, 403},
		"with a token, too":       {near, mcpadapter.HTTPOptions{Token: secret}, "evil.example", []string{"Authorization", "Bearer " + token}, hello, 403},
		"a name that is allowed":  {near, mcpadapter.HTTPOptions{Hosts: []string{"tools.example"}}, "tools.example", nil, hello, 200},
		"a page of another site":  {near, mcpadapter.HTTPOptions{}, "localhost:8090", []string{"Origin", "https://evil.example"}, hello, 403},
		"another port":            {near, mcpadapter.HTTPOptions{}, "localhost:8090", []string{"Origin", "http://localhost:3000"}, hello, 403},
		"no origin to speak of":   {near, mcpadapter.HTTPOptions{}, "localhost:8090", []string{"Origin", "null"}, hello, 403},
		"its own page":            {near, mcpadapter.HTTPOptions{}, "localhost:8090", []string{"Origin", "http://localhost:8090"}, hello, 200},
		"an origin that may":      {near, mcpadapter.HTTPOptions{Origins: []string{"http://localhost:3000"}}, "localhost:8090", []string{"Origin", "http://localhost:3000"}, hello, 200},
		"a browser without":       {near, mcpadapter.HTTPOptions{}, "localhost:8090", []string{"Sec-Fetch-Site", "cross-site"}, hello, 403},
		"far without a token":     {far, mcpadapter.HTTPOptions{Token: secret}, "tools.example", nil, hello, 401},
		"far with a wrong token":  {far, mcpadapter.HTTPOptions{Token: secret}, "tools.example", []string{"Authorization", "Bearer " + token + "x"}, hello, 401},
		"far with another scheme": {far, mcpadapter.HTTPOptions{Token: secret}, "tools.example", []string{"Authorization", "Basic " + token}, hello, 401},
		"far with the token":      {far, mcpadapter.HTTPOptions{Token: secret}, "tools.example", []string{"Authorization", "Bearer " + token}, hello, 200},
		"far, names are limited":  {far, mcpadapter.HTTPOptions{Token: secret, Hosts: []string{"a.example"}}, "b.example", []string{"Authorization", "Bearer " + token}, hello, 403},
		"a large body":            {near, mcpadapter.HTTPOptions{}, "localhost:8090", nil, strings.Repeat(" ", 5<<20) + hello, 413},
		"no JSON":                 {near, mcpadapter.HTTPOptions{}, "localhost:8090", nil, "hello", 400},
	} {
		handler, err := server.Handler(c.addr, c.options)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := httptest.NewRequest(http.MethodPost, mcpadapter.Path, strings.NewReader(c.body))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i+1 < len(c.header); i += 2 {
			r.Header.Set(c.header[i], c.header[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: status %d, not %d: %s", name, w.Code, c.want, w.Body)
		}
		if strings.Contains(w.Body.String(), token) {
			t.Errorf("%s: the token is in %s", name, w.Body)
		}
	}
}

// TestDrain: at the end, a call that is at work is finished, and a client that only listens
// does not hold the server.
func TestDrain(t *testing.T) {
	x := newToy()
	url, stop := serving(t, x, mcpadapter.HTTPOptions{Token: auth.NewSecret(token), Drain: 20 * time.Second})
	session := connected(t, url)
	answered := make(chan error, 1)
	go func() {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait", Arguments: echo{"done"}})
		if err == nil && result.IsError {
			err = errors.New("the call failed")
		}
		answered <- err
	}()
	<-x.begun
	time.AfterFunc(300*time.Millisecond, func() { close(x.release) })
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the call at work: %v", err)
	}
}

// TestCancelledOverHTTP: a client that cancels a call ends it.
func TestCancelledOverHTTP(t *testing.T) {
	x := newToy()
	url, _ := serving(t, x, mcpadapter.HTTPOptions{Token: auth.NewSecret(token)})
	session := connected(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: echo{"x"}})
	}()
	<-x.begun
	cancel()
	select {
	case err := <-x.ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the call goes on")
	}
}
