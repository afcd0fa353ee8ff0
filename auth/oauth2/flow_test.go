package oauth2_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/roget-health/roget/auth"
	"github.com/roget-health/roget/auth/oauth2"
)

// TestAuthorizeURL: section 1.6.4 of the platform toolkit, steps 1 and 3.
// Rows of docs/platform.md: 2.2.4, 3.4, 3.9, 3.11, 4.1, 5.5.
func TestAuthorizeURL(t *testing.T) {
	s := newSetting(t)
	var seen url.Values
	s.authorize = func(w http.ResponseWriter, r *http.Request) { seen = r.URL.Query(); s.giveCode(w, r) }
	s.token = func(w http.ResponseWriter, r *http.Request) {
		if verifier := r.PostFormValue("code_verifier"); len(verifier) != 128 || r.PostFormValue("client_id") != "c1" || r.PostFormValue("redirect_uri") != seen.Get("redirect_uri") {
			t.Errorf("verifier of %d characters; %v", len(verifier), r.PostForm)
		}
		s.giveToken(w, r)
	}
	bearer(t, s.provider(t))
	for name, pattern := range map[string]string{
		"client_id": `^c1$`, "response_type": `^code$`, "redirect_uri": `^http://localhost:\d+$`, "scope": `^ALL$`,
		"state": `^[\w-]{22}$`, "code_challenge": `^[\w-]{43}$`, "code_challenge_method": `^S256$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(seen.Get(name)) {
			t.Errorf("%s is %q", name, seen.Get(name))
		}
	}
	first := seen
	if err := s.provider(t).Login(t.Context()); err != nil || seen.Get("state") == first.Get("state") || seen.Get("code_challenge") == first.Get("code_challenge") {
		t.Errorf("the second flow has the state or challenge of the first: %v", err)
	}
}

// TestRedirects: redirects, and the outcome of the flow.
// Rows of docs/platform.md: 3.8, 5.12, 7.9, 8.2.
func TestRedirects(t *testing.T) {
	for _, test := range []struct {
		name, query string // STATE stands for the right state
		status      int
		want        error
		text, page  string // parts of the error and of the page
	}{
		{"denied consent", "error=access_denied&error_description=No+%3Cb%3Eway&state=STATE", 400, auth.ErrDenied, "authorization failed: access_denied: No <b>way", "No &lt;b&gt;way"},
		{"error alone", "error=%3Ci%3E&state=STATE", 400, auth.ErrDenied, "authorization failed: <i>", "&lt;i&gt;"},
		{"error with a wrong state", "error=access_denied&state=x", 400, auth.ErrStateMismatch, "state mismatch", "State mismatch"},
		{"wrong state", "code=c&state=x", 400, auth.ErrStateMismatch, "state mismatch", "State mismatch"},
		{"no state", "code=c", 400, auth.ErrStateMismatch, "state mismatch", ""},
		{"no code", "state=STATE", 400, auth.ErrNoCode, "no authorization code", "No authorization code"},
		{"two codes", "code=a&code=b&state=STATE", 400, auth.ErrBadRedirect, "more than once", ""},
		{"two states", "code=a&state=STATE&state=x", 400, auth.ErrBadRedirect, "more than once", ""},
		{"no query", "%zz", 400, auth.ErrBadRedirect, "malformed", ""},
		{"long head", "code=" + strings.Repeat("a", 9000) + "&state=STATE", 400, auth.ErrBadRedirect, "malformed", ""},
		{"code that is not one", "code=wrong&state=STATE", 200, auth.ErrToken, "invalid_grant", "You are signed in"},
		{"terminal escapes", "error=a%1b%5b31m&state=STATE", 400, auth.ErrDenied, "failed: a[31m", "a[31m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSetting(t)
			answered := make(chan struct{})
			s.config.OpenBrowser = func(_ context.Context, address string) error {
				go func() {
					defer close(answered)
					u, _ := url.Parse(address)
					redirect := u.Query().Get("redirect_uri")
					status, page := get(t, redirect, strings.ReplaceAll(test.query, "STATE", u.Query().Get("state")))
					if status != test.status || !strings.Contains(page, test.page) || strings.Contains(page, "<b>") {
						t.Errorf("answered %d: %s", status, page)
					}
					if answer, err := http.Get(redirect); err == nil {
						answer.Body.Close()
						t.Error("a second request was served")
					}
				}()
				return nil
			}
			err := s.provider(t).Login(t.Context())
			<-answered
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) || s.sets != 0 {
				t.Errorf("%v", err)
			}
			if strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("an escape sequence in %q", err)
			}
		})
	}
}

// get sends a request with a raw query, which net/http might refuse.
func get(t *testing.T, redirect, query string) (status int, page string) {
	u, _ := url.Parse(redirect)
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer conn.Close()
	io.WriteString(conn, "GET /?"+query+" HTTP/1.1\r\nHost: "+u.Host+"\r\n\r\n")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("the page is cut: %v", err)
	}
	head, page, _ := strings.Cut(string(all), "\r\n\r\n")
	if !strings.Contains(head, "Connection: close") {
		t.Errorf("the connection stays: %s", head)
	}
	return map[string]int{"200": 200, "400": 400}[(head + strings.Repeat(" ", 12))[9:12]], page
}

// TestIdleConnections: browsers open connections that they do not use.
// Rows of docs/platform.md: 3.8, 8.2.
func TestIdleConnections(t *testing.T) {
	s := newSetting(t)
	s.config.OpenBrowser = func(ctx context.Context, address string) error {
		u, _ := url.Parse(address)
		back, _ := url.Parse(u.Query().Get("redirect_uri"))
		for range 5 {
			conn, err := net.Dial("tcp", back.Host)
			if err != nil {
				t.Error(err)
				return nil
			}
			t.Cleanup(func() { conn.Close() })
		}
		return s.browse(ctx, address)
	}
	if got := bearer(t, s.provider(t)); got != "access-1" {
		t.Errorf("token %q", got)
	}
}

// TestListener: redirect URIs that are refused, and a port in use.
// Rows of docs/platform.md: 3.5, 5.12.
func TestListener(t *testing.T) {
	s := newSetting(t)
	for _, redirect := range []string{"http://example.org:8765", "http://0.0.0.0:0", "http://192.0.2.1:1", "https://localhost:1", "http://u:p@localhost:0", "localhost", "http://localhost:0/#f", "%"} {
		s.config.RedirectURI = redirect
		var field *auth.FieldError
		if err := s.provider(t).Login(t.Context()); !errors.As(err, &field) || field.Field != "redirect_uri" {
			t.Errorf("%s: %v", redirect, err)
		}
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, host := range []string{"127.0.0.1", "localhost"} {
		_, port, _ := net.SplitHostPort(busy.Addr().String())
		s.config.RedirectURI = "http://" + net.JoinHostPort(host, port)
		if err := s.provider(t).Login(t.Context()); !errors.Is(err, auth.ErrListen) || !strings.Contains(err.Error(), busy.Addr().String()) {
			t.Errorf("a port in use: %v", err)
		}
	}
	if s.browsers != 0 {
		t.Error("a browser was opened before the port was bound")
	}
}

func TestNoRedirect(t *testing.T) {
	s := newSetting(t)
	s.config.Wait = time.Millisecond
	s.config.NoBrowser = true
	if err := s.provider(t).Login(t.Context()); !errors.Is(err, auth.ErrNoRedirect) || err.Error() != "OAuth2: no redirect within 0s" {
		t.Errorf("%v", err)
	}
	s.config.Wait = 0
	ctx, cancel := context.WithCancel(t.Context())
	s.notice.wake = make(chan string)
	ended := make(chan error)
	go func() { ended <- s.provider(t).Login(ctx) }()
	<-s.notice.wake
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// TestNoBrowser: the address is printed, and opening it elsewhere completes the login.
// Rows of docs/platform.md: 2.2.4, 3.6.
func TestNoBrowser(t *testing.T) {
	for name, set := range map[string]func(s *setting){
		"configuration": func(s *setting) { s.config.NoBrowser = true },
		"environment":   func(*setting) { t.Setenv(oauth2.NoBrowserVariable, "1") },
	} {
		s := newSetting(t)
		set(s)
		s.notice.wake = make(chan string, 1)
		ended := make(chan error)
		go func() { ended <- s.provider(t).Login(t.Context()) }()
		text := <-s.notice.wake
		lines := strings.Split(text, "\n")
		if len(lines) != 6 || lines[1] != "" || lines[3] != "" || !strings.HasPrefix(lines[2], "  "+s.base()+"/oauth2/authorize?") || !strings.HasPrefix(lines[4], "Waiting for the redirect to http://localhost:") {
			t.Fatalf("%s: printed %q", name, text)
		}
		answer, err := http.Get(strings.TrimSpace(lines[2]))
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", name, answer, err)
		}
		answer.Body.Close()
		if err := <-ended; err != nil || s.browsers != 0 {
			t.Errorf("%s: %v, %d browsers", name, err, s.browsers)
		}
	}
}
