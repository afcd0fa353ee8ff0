package oauth2_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/roget-health/roget/auth"
)

// TestTokenAnswers: responses of a token endpoint, and the errors of the flow.
// Rows of docs/platform.md: 3.9, 4.2, 7.1.
func TestTokenAnswers(t *testing.T) {
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for _, test := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // part of the error, "" if the response is a token
	}{
		{"plaintext secret on the server", answer(401, "application/json", `{"error":"invalid_client"}`), "with status 401: invalid_client: the client secret is wrong, or the server stores it in plain text"},
		{"reused code", answer(400, "application/json", `{"error":"invalid_grant","error_description":"code\u001b[2J was used"}`), "with status 400: invalid_grant: code[2J was used (the code or refresh token was used before"},
		{"HTML", answer(500, "text/html", "<html>"+strings.Repeat("a", 9000)), "with status 500: <html>" + strings.Repeat("a", 394) + "... (usual causes"},
		{"HTML of success", answer(200, "text/html", "<html>sign in"), "status 200: the response is not a token in JSON; its content type is text/html"},
		{"nothing", answer(500, "", ""), "status 500: usual causes"},
		{"no token", answer(200, "application/json", `{"refresh_token":"Sw0rdfish"}`), "has no access_token"},
		{"another type", answer(200, "application/json", `{"access_token":"Sw0rdfish","token_type":"mac"}`), "token_type is not Bearer"},
		{"token of two lines", answer(200, "application/json", `{"access_token":"Sw0rdfish\r\nX: y"}`), "a header must not have"},
		{"lifetime that is none", answer(200, "application/json", `{"access_token":"Sw0rdfish","expires_in":"soon"}`), "expires_in is not a number"},
		{"lifetime below 0", answer(200, "application/json", `{"access_token":"Sw0rdfish","expires_in":-1}`), "expires_in is not a number"},
		{"too long", answer(200, "application/json", strings.Repeat(" ", 1<<20)+`{"access_token":"Sw0rdfish"}`), "longer than 1048576 bytes"},
		{"see other", answer(303, "", ""), "status 303"},
		{"redirect to nowhere", answer(302, "", ""), "has no address"},
		{"POST to nowhere", answer(308, "", ""), "has no address"},
		{"lifetime as text", answer(200, "application/json", `{"access_token":"a","expires_in":"300"}`), ""},
		{"longest lifetime", answer(200, "application/json", `{"access_token":"a","expires_in":1e300}`), ""},
	} {
		s := newSetting(t)
		s.token = test.handler
		err := s.provider(t).Login(t.Context())
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		var flow *auth.FlowError
		if !errors.As(err, &flow) || !errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "Sw0rdfish") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestTokenErrorsShowNothingSent: the server repeats the request, but the error does not.
// Rows of docs/platform.md: 2.2.5.
func TestTokenErrorsShowNothingSent(t *testing.T) {
	quoted := func(text string) string { q, _ := json.Marshal(text); return string(q) }
	for name, repeat := range map[string]func(string) string{
		"text": func(text string) string { return text },
		"RFC 6749": func(text string) string {
			return `{"error":"invalid_request","error_description":` + quoted(text) + `}`
		},
		"page":       func(text string) string { return "<pre>" + html.EscapeString(text) + "</pre>" },
		"JSON":       func(text string) string { return `{"message":` + quoted(text) + `}` },
		"other JSON": func(text string) string { return `{"message":` + strings.ReplaceAll(quoted(text), "/", `\/`) + `}` },
	} {
		s := newSetting(t)
		sent := ""
		s.token = func(w http.ResponseWriter, r *http.Request) {
			r.ParseForm()
			sent = r.PostForm.Get("client_secret") + " " + r.PostForm.Get("code") + " " + r.PostForm.Get("code_verifier") + " " + r.PostForm.Get("refresh_token")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, repeat(sent+" "+r.PostForm.Encode()))
		}
		err := s.provider(t).Login(t.Context())
		if err == nil || !strings.Contains(err.Error(), "**********") {
			t.Fatalf("%s: %v", name, err)
		}
		for _, secret := range append(strings.Fields(sent), "S3cret", "code-0") {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %q shows %q", name, err, secret)
			}
		}
	}
}

// TestTokenRedirects: section 1.6.4, Redirects on the token endpoint.
// Rows of docs/platform.md: 4.2.
func TestTokenRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent to another server", r.Method, r.URL)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		for hops, want := range map[int]string{1: "", 3: "", 4: "more than 3 redirects", -1: "redirects to another server, " + other.URL} {
			s := newSetting(t)
			count := 0
			s.token = func(w http.ResponseWriter, r *http.Request) {
				if count++; hops < 0 {
					http.Redirect(w, r, other.URL+"/oauth2/token?x=1", status)
				} else if count <= hops {
					http.Redirect(w, r, fmt.Sprintf("/ctx/oauth2/token?hop=%d", count), status)
				} else {
					s.giveToken(w, r)
				}
			}
			err := s.provider(t).Login(t.Context())
			if want == "" && err != nil || want != "" && (!errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%d, %d times: %v", status, hops, err)
			}
		}
	}
}

func TestTokenEndpointAway(t *testing.T) {
	s := newSetting(t)
	s.config.Capture = func(context.Context, string, string) (string, error) { s.Close(); return "c", nil }
	if err := s.provider(t).Login(t.Context()); !errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
}
