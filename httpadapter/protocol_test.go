package httpadapter

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

// TestProtocolErrors checks that requests that net/http refuses itself get an OperationOutcome too.
func TestProtocolErrors(t *testing.T) {
	base := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "from the handler", http.StatusBadRequest)
	}))
	for _, c := range []struct {
		name, request string
		status        int
		code, text    string
	}{
		{"percent-escape", "GET /CodeSystem/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "structure", "percent-escapes"},
		{"no host", "GET / HTTP/1.1\r\n\r\n", 400, "structure", "missing required Host header"},
		{"no HTTP", "hello\r\n\r\n", 400, "structure", "request line"},
		{"two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "structure", "headers"},
		{"large header", "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 100<<10) + "\r\n\r\n", 431, "too-long", "POST"},
		{"encoding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: pigeon\r\n\r\n", 501, "not-supported", "transfer encoding"},
		{"a handler's own", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400, "", "from the handler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.request); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(conn)
			if err != nil && len(answer) == 0 {
				t.Fatal(err)
			}
			header, body, _ := strings.Cut(string(answer), "\r\n\r\n")
			if c.code == "" {
				if !strings.Contains(header, "text/plain") || !strings.Contains(body, c.text) {
					t.Errorf("%s", answer)
				}
				return
			}
			var outcome struct {
				ResourceType string
				Issue        []struct{ Severity, Code, Diagnostics string }
			}
			if err := json.Unmarshal([]byte(body), &outcome); err != nil {
				t.Fatalf("%v: %s", err, answer)
			}
			if outcome.ResourceType != "OperationOutcome" || outcome.Issue[0].Code != c.code || !strings.Contains(outcome.Issue[0].Diagnostics, c.text) {
				t.Errorf("%s", answer)
			}
			if !strings.HasPrefix(header, "HTTP/1.1 "+http.StatusText(c.status)) && !strings.Contains(header, http.StatusText(c.status)) || !strings.Contains(header, "application/fhir+json") {
				t.Errorf("header %s", header)
			}
		})
	}
}

// TestBodiesThatDoNotArrive truncates or delays a body. The client gets an error, and nothing changes.
func TestBodiesThatDoNotArrive(t *testing.T) {
	handler := newClient(t).handler
	server := httptest.NewUnstartedServer(handler)
	server.Config.ReadTimeout = 300 * time.Millisecond
	server.Start()
	defer server.Close()
	for _, c := range []struct {
		name   string
		end    bool
		length string
		status string
	}{
		{"cut off", true, "Content-Length: 1000", "400"},
		{"cut off, large", true, "Content-Length: 10000000", "400"},
		{"cut off, chunked", true, "Transfer-Encoding: chunked", "400"},
		{"too slow", false, "Content-Length: 1000", "408"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, "PUT /CodeSystem/late HTTP/1.1\r\nHost: x\r\nContent-Type: application/fhir+json\r\n"+c.length+"\r\n\r\n1"); err != nil {
				t.Fatal(err)
			}
			if c.end {
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
			}
			answer, _ := io.ReadAll(conn)
			if !strings.HasPrefix(string(answer), "HTTP/1.1 "+c.status) || !strings.Contains(string(answer), "OperationOutcome") {
				t.Errorf("%s", answer)
			}
		})
	}
	if r, err := http.Get(server.URL + "/CodeSystem/late"); err != nil || r.StatusCode != http.StatusNotFound {
		t.Errorf("afterwards: %v, %v", r, err)
	}
	conn, _ := timedPair(t)
	conn.Close()
	if n, err := (protocolConn{conn}).Write([]byte(plainToTLS)); n != 0 || err == nil {
		t.Error("a closed connection", n, err)
	}
}

// fullStore is a store that cannot write.
type fullStore struct{ resources.Store }

func (fullStore) Write(context.Context, resources.Write) (resources.Version, error) {
	return resources.Version{}, errors.New("/secret/path: disk full")
}

// TestStoreFails writes to a full disk. The client only learns that the store failed, and stored
// resources can still be read.
func TestStoreFails(t *testing.T) {
	c := newClient(t)
	service := resources.NewService(fullStore{memory.New()}, c.engine)
	handler, err := New(Config{Engine: c.engine, Resources: service})
	if err != nil {
		t.Fatal(err)
	}
	full := &client{t, handler, c.engine, service}
	answer := full.do("PUT", "/CodeSystem/animals", strings.Replace(animals, "Zoo", "Circus", 1), "Content-Type", "application/fhir+json")
	if answer.header.Get("Retry-After") == "" {
		t.Error("the client does not learn when to try again")
	}
	text := answer.wantIssue(t, http.StatusServiceUnavailable, "no-store")
	if !strings.Contains(text, "store") || strings.Contains(text, "secret") {
		t.Error(text)
	}
	full.get("/CodeSystem/$lookup?system=http://t.example/animals&code=dog").want(t, http.StatusOK)
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompressedBodies sends bodies with Content-Encoding.
func TestCompressedBodies(t *testing.T) {
	c := clinic(t, func(config *Config) { config.Limits.MaxBody = 1 << 20 })
	large := strings.Replace(peter, "{", "{"+strings.Repeat(" ", 1<<20), 1)
	for _, tt := range []struct {
		encoding, body string
		status         int
		code           string
	}{
		{"gzip", packed(t, peter), 200, ""},
		{"X-GZIP", packed(t, peter), 200, ""},
		{"gzip", packed(t, large), 413, "too-long"},
		{"gzip", peter, 400, "structure"},
		{"gzip", packed(t, peter)[:40], 400, "structure"},
		{"gzip", strings.Replace(packed(t, peter), "\x00\x00", "\x00\x01", 1)[:20] + "garbage of some length", 400, "structure"},
		{"gzip", packed(t, ""), 400, "structure"},
		{"gzip", strings.Repeat(packed(t, ""), 1<<16), 413, "too-long"},
		{"br", peter, 415, "not-supported"},
		{"gzip, gzip", packed(t, packed(t, peter)), 415, "not-supported"},
	} {
		r := c.do("PUT", "/Patient/peter", tt.body, "Content-Encoding", tt.encoding)
		if tt.status == 200 {
			r.want(t, 200)
			continue
		}
		r.wantIssue(t, tt.status, tt.code)
		if (r.header.Get("Accept-Encoding") == "gzip") != (tt.status == 415) {
			t.Errorf("%s: %v", tt.encoding, r.header)
		}
	}
	if doc := c.do("POST", "/Patient/_search", packed(t, url.Values{"family": {"chalmers"}}.Encode()), "Content-Type", mediaForm, "Content-Encoding", "gzip").want(t, 200); doc["total"] != 2.0 {
		t.Errorf("search: %v", doc)
	}
	doc := c.do("POST", "/Binary", packed(t, "text"), "Content-Type", "text/plain", "Content-Encoding", "gzip").want(t, 201)
	if doc["data"] != "dGV4dA==" {
		t.Errorf("content: %v", doc)
	}
}

// TestStatus checks that a class has its status, and that a problem of this edge keeps its own.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{engine.ErrInvalidParameter, http.StatusBadRequest},
		{engine.ErrUnknownCode, http.StatusNotFound},
		{engine.ErrInvalidResource, http.StatusUnprocessableEntity},
		{errors.New("nobody foresaw this"), http.StatusInternalServerError},
		{withStatus(http.StatusGone, operation.Problem{Code: "deleted", Text: "gone"}), http.StatusGone},
	} {
		if got, _ := outcome(fmt.Errorf("wrapped: %w", tt.err)); got != tt.want {
			t.Errorf("%v: status %d, want %d", tt.err, got, tt.want)
		}
	}
	_, oo := outcome(withStatus(http.StatusGone, operation.Problem{Code: "deleted", Text: "gone"}))
	if i := oo.Issue[0]; i.Code != "deleted" || i.Diagnostics != "gone" {
		t.Errorf("issue %+v", i)
	}
}
