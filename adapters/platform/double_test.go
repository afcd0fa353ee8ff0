package platform_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/adapters/platform/platformtest"
	"github.com/roget-health/roget/auth"
)

// onDouble connects a client to a double, as the user who holds every authority.
func onDouble(t *testing.T, options platformtest.Options) (*platform.Client, *platformtest.Platform) {
	t.Helper()
	p := platformtest.New(t, options)
	c := connect(t, p)
	p.Forget()
	return c, p
}

// connect connects to a double as its administrator.
func connect(t *testing.T, p *platformtest.Platform) *platform.Client {
	t.Helper()
	c, err := platform.Connect(t.Context(), p.URL, auth.NewPAT(auth.NewSecret(platformtest.PAT)), platform.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// onMajors runs a test against the double as every major.
func onMajors(t *testing.T, test func(t *testing.T, c *platform.Client, p *platformtest.Platform)) {
	for _, major := range platform.Majors() {
		t.Run(major.String(), func(t *testing.T) {
			c, p := onDouble(t, platformtest.Options{Major: int(major)})
			test(t, c, p)
		})
	}
}

// sent returns the requests that a double got, as "GET /api/me" each.
func sent(p *platformtest.Platform) (lines []string) {
	for _, r := range p.Requests() {
		lines = append(lines, r.Method+" "+r.Path)
	}
	return lines
}

// bodyOf returns the body of the last request of a method.
func bodyOf(t *testing.T, p *platformtest.Platform, method string) string {
	t.Helper()
	requests := p.Requests()
	for i := range requests {
		if r := requests[len(requests)-1-i]; r.Method == method {
			return string(r.Body)
		}
	}
	t.Fatalf("no %s was sent", method)
	return ""
}

// refused checks that an error is an answer of the platform with a status.
func refused(t *testing.T, err error, status int) {
	t.Helper()
	wantAPIError(t, err, status, "")
}

// wantAPIError checks that an error is an answer of the platform, with a status and a part
// of its text.
func wantAPIError(t *testing.T, err error, status int, part string) {
	t.Helper()
	var api *platform.APIError
	var client platform.ClientError
	if !errors.As(err, &api) || api.Status != status || !strings.Contains(err.Error(), part) || !errors.As(err, &client) {
		t.Errorf("%v, want an API error of status %d with %q", err, status, part)
	}
}

// echo is an upstream that answers with what it got.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusTeapot)
	_, _ = w.Write([]byte(r.Method + " " + r.URL.EscapedPath() + "?" + r.URL.RawQuery + " " + r.Header.Get("Authorization") + r.Header.Get("X-Key") + r.Header.Get("X-Mine")))
}
