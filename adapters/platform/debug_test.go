package platform

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// TestDebug: one line for each request, without headers and without values that may be
// secret. Platform toolkit, section 2.3.
func TestDebug(t *testing.T) {
	var out strings.Builder
	c := serve(t, Options{Debug: &out}, answer(404, "12345"))
	query := url.Values{"fields": {"id,name"}, "token": {"planted", "planted2"}}
	_, err := c.Raw(t.Context(), Request{Path: "/api/x/" + segment("a b"), Query: query, Header: http.Header{"X-Planted": {"planted"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `^GET ` + regexp.QuoteMeta(c.base) + `/api/x/a%20b\?fields=id%2Cname&token=%2A%2A%2A&token=%2A%2A%2A 404 5 bytes \d+ ms\n$`
	if !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("%q", out.String())
	}
	if query.Get("token") != "planted" {
		t.Error("the query of the caller has changed")
	}
	out.Reset()
	c.options.MaxAnswer = 1
	if err := c.get(t.Context(), "/api/x", nil, nil); err == nil || !strings.Contains(out.String(), "failed (the response is longer") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%v: %q", err, out.String())
	}
}
