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

// Limits of the requests that find the canonical URL.
const (
	canonicalTime = 10 * time.Second
	candidateTime = 5 * time.Second
	maxRedirects  = 10
)

// canonical returns the canonical URL of the platform: the target of the root's redirects, without the
// login page. It sends no credentials. If a request fails, it returns the base URL. Platform toolkit,
// section 2.2, step 1.
func (c *Client) canonical(ctx context.Context) string {
	root, err := url.Parse(c.base + "/")
	if err != nil {
		return c.base
	}
	landed := c.follow(ctx, root)
	if landed == nil {
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
		ctx, cancel := context.WithTimeout(ctx, candidateTime)
		defer cancel()
		if response := c.probe(ctx, info); response != nil {
			if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "application/json" {
				return base
			}
		}
	}
	return c.base
}

// follow follows redirects and returns the final URL, or nil if a request fails.
func (c *Client) follow(ctx context.Context, u *url.URL) *url.URL {
	ctx, cancel := context.WithTimeout(ctx, canonicalTime)
	defer cancel()
	for range maxRedirects + 1 {
		response := c.probe(ctx, u)
		if response == nil || response.Status >= 400 {
			return nil
		}
		if response.Status < 300 {
			return u
		}
		next, err := u.Parse(response.Header.Get("Location"))
		if err != nil || *next == *u || downgrade(u, next) {
			return nil
		}
		u = next
	}
	return nil
}

// downgrade reports whether a redirect leads from https to http, where credentials would be sent in
// plain text.
func downgrade(from, to *url.URL) bool { return from.Scheme == "https" && to.Scheme != "https" }

// withoutLogin returns a URL without a trailing login page, query and fragment.
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

// probe sends a GET without credentials. It returns nil if there is no response.
func (c *Client) probe(ctx context.Context, u *url.URL) *Response {
	request, err := c.request(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil
	}
	response, err := c.roundTrip(request)
	if err != nil {
		return nil
	}
	return response
}
