package platform

import (
	"context"
	"errors"
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
// login page. It sends no credentials. If a request fails, it returns the base URL; if a request is
// vetoed, it returns the veto. Platform toolkit, section 2.2, step 1.
func (c *Client) canonical(ctx context.Context) (string, error) {
	root, err := url.Parse(c.base + "/")
	if err != nil {
		return c.base, nil
	}
	landed, err := c.follow(ctx, root)
	if landed == nil {
		return c.base, err
	}
	candidate := withoutLogin(landed)
	base, err := auth.CleanBaseURL(candidate.String())
	switch {
	case err != nil:
		return c.base, nil
	case candidate.Scheme == root.Scheme && strings.EqualFold(candidate.Host, root.Host):
		return base, nil
	}
	if info, err := url.Parse(base + systemInfoPath); err == nil {
		ctx, cancel := context.WithTimeout(ctx, candidateTime)
		defer cancel()
		response, err := c.probe(ctx, info)
		if err != nil {
			return "", err
		}
		if response != nil {
			if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "application/json" {
				return base, nil
			}
		}
	}
	return c.base, nil
}

// follow follows redirects and returns the final URL, or nil if a request fails. Its error is a veto.
func (c *Client) follow(ctx context.Context, u *url.URL) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(ctx, canonicalTime)
	defer cancel()
	for range maxRedirects + 1 {
		response, err := c.probe(ctx, u)
		if err != nil || response == nil || response.Status >= 400 {
			return nil, err
		}
		if response.Status < 300 {
			return u, nil
		}
		next, err := u.Parse(response.Header.Get("Location"))
		if err != nil || *next == *u || downgrade(u, next) {
			return nil, nil
		}
		u = next
	}
	return nil, nil
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

// probe sends a GET without credentials. It returns nil if there is no response. Its error is a veto.
func (c *Client) probe(ctx context.Context, u *url.URL) (*Response, error) {
	request, err := c.request(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, nil //nolint:nilerr // an address that cannot be requested is not the canonical one
	}
	response, err := c.roundTrip(request)
	if errors.Is(err, ErrVetoed) {
		return nil, err
	}
	return response, nil
}
