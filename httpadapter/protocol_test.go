package httpadapter

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestProtocolErrors sends what net/http refuses before a handler sees it: the answer is
// an OperationOutcome all the same.
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
