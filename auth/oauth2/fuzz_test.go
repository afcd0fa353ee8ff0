package oauth2

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/roget-health/roget/auth"
)

// FuzzRedirect sends arbitrary bytes to the listener: only the right state yields a code, and the page
// escapes everything.
// Rows of docs/platform.md: 3.8, 7.9.
func FuzzRedirect(f *testing.F) {
	const state = "0123456789abcdefABCDEF"
	f.Add([]byte("GET /?code=c&state=" + state + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	f.Add([]byte("GET /?error=%3Cscript%3E&state=" + state + " HTTP/1.0\n\n"))
	f.Add([]byte("POST http://x/?code=c&code=d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"))
	f.Add([]byte("\x16\x03\x01\x02\x00\x01"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		request, _ := readHead(bytes.NewReader(sent))
		v := judge(request, state)
		if (v.err == nil) != (v.code != "") || (v.status == http.StatusOK) != (v.err == nil) {
			t.Fatalf("%+v", v)
		}
		if v.code != "" && !strings.Contains(request.URL.RawQuery, "=") {
			t.Fatalf("a code of %q", sent)
		}
		if v.err != nil && strings.ContainsFunc(v.err.Error(), unicode.IsControl) {
			t.Fatalf("control characters in %q", v.err)
		}
		ours, theirs := net.Pipe()
		go func() { v.answer(theirs); theirs.Close() }()
		_ = ours.SetDeadline(time.Now().Add(time.Minute))
		page, err := io.ReadAll(ours)
		if err != nil || bytes.Count(page, []byte("<")) != 8 {
			t.Fatalf("%v: %s", err, page)
		}
	})
}

// FuzzTokenAnswer reads arbitrary bytes as the response of a token endpoint.
// Rows of docs/platform.md: 4.2.
func FuzzTokenAnswer(f *testing.F) {
	f.Add(`{"access_token":"Sw0rdfish","refresh_token":"r","token_type":"Bearer","expires_in":300}`)
	f.Add(`{"error":"invalid_grant","error_description":"Sw0rdfish"}`)
	f.Add(`{"access_token":"a","token_type":"Bearer","expires_in":1e9}`)
	f.Add("<html>Sw0rdfish")
	f.Fuzz(func(t *testing.T, body string) {
		config := Config{BaseURL: "https://p.example", ClientID: "c", ClientSecret: auth.NewSecret("Sw0rdfish"), Now: time.Now}
		config.Transport = answers{http.StatusOK, body}
		token, err := (&Provider{config: config}).exchange(t.Context(), "http://localhost:0", "code", "verifier")
		if (token == nil) == (err == nil) || err != nil && strings.Contains(err.Error(), "Sw0rdfish") {
			t.Fatalf("%v, %v", token, err)
		}
		now := auth.UnixSeconds(time.Now())
		if token != nil && (token.AccessToken.IsZero() || auth.HasControl(token.AccessToken.Reveal()) || token.ExpiresAt < now-60 || token.ExpiresAt > now+maxLifetime) {
			t.Fatalf("%+v", token)
		}
		config.Transport = answers{http.StatusBadRequest, body}
		_, refused := (&Provider{config: config}).exchange(t.Context(), "http://localhost:0", "code", "verifier")
		if text := refused.Error(); !errors.Is(refused, auth.ErrToken) || strings.Contains(text, "Sw0rdfish") || len([]rune(text)) > 3*maxShown {
			t.Fatalf("%q", text)
		}
	})
}

// answers is a transport whose server gives every request the same answer.
type answers struct {
	status int
	body   string
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}
