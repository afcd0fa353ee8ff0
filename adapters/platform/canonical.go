package platform

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/auth"
)

// Times of the requests that find the canonical address.
const (
	canonicalTime = 10 * time.Second
	candidateTime = 5 * time.Second
	maxRedirects  = 10
)

// canonical gives the address the platform lives at: where its root redirects to, without
// the login page. Requests are made without credentials. What fails leaves the address as
// it was given. Platform toolkit, section 2.2, step 1.
func (c *Client) canonical(ctx context.Context) string {
	root, err := url.Parse(c.base + "/")
	if err != nil {
		return c.base
	}
	landed := root
	follower := &http.Client{Transport: c.options.Transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects || downgrade(root, next.URL) {
			return http.ErrUseLastResponse
		}
		for _, hook := range c.options.Hooks {
			if err := hook(next); err != nil {
				return err
			}
		}
		landed = next.URL
		return nil
	}}
	status, _ := c.probe(ctx, follower, root, canonicalTime)
	if status == 0 || status >= 300 {
		return c.base
	}
	candidate := withoutLogin(landed)
	base, err := auth.CleanBaseURL(candidate.String())
	switch {
	case err != nil:
		return c.base
	case candidate.Scheme == root.Scheme && strings.EqualFold(candidate.Host, root.Host):
		return base
	}
	if info, err := url.Parse(base + systemInfoPath); err == nil {
		if _, kind := c.probe(ctx, c.http, info, candidateTime); kind == "application/json" || strings.HasSuffix(kind, "+json") {
			return base
		}
	}
	return c.base
}

// downgrade tells that a redirect leads from https to http: credentials would be sent in
// the open.
func downgrade(from, to *url.URL) bool { return from.Scheme == "https" && to.Scheme != "https" }

// withoutLogin gives an address without a login page at its end, query and fragment.
func withoutLogin(u *url.URL) *url.URL {
	path := strings.TrimRight(u.Path, "/")
	for _, page := range []string{"/dhis-web-login", "/login", "/dhis-web-commons/security/login.action"} {
		if before, found := strings.CutSuffix(path, page); found {
			path = before
			break
		}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
}

// probe sends a GET without credentials and gives its status, 0 where there was no answer,
// and media type.
func (c *Client) probe(ctx context.Context, client *http.Client, u *url.URL, within time.Duration) (status int, kind string) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := c.request(ctx, http.MethodGet, u, nil)
	if err != nil {
		return 0, ""
	}
	response, err := c.roundTrip(client, request)
	if err != nil {
		return 0, ""
	}
	kind, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	return response.Status, kind
}
