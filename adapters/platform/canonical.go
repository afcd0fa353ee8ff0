package platform

import (
	"context"
	"encoding/json"
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

// canonical returns the canonical URL of the platform. The root redirects to a login page, a start page or a
// portal; the address before the page is adopted if a platform answers there, else the base URL stays (V6).
// It sends no credentials. If a request fails, it returns the base URL; if a request is vetoed, it returns
// the veto. Platform toolkit, section 2.2, step 1.
func (c *Client) canonical(ctx context.Context) (string, error) {
	root, err := url.Parse(c.base + "/")
	if err != nil {
		return c.base, nil //nolint:nilerr // an address that cannot be requested has no other
	}
	landed, err := c.follow(ctx, root)
	if landed == nil {
		return c.base, err
	}
	base, err := auth.CleanBaseURL(withoutPage(landed, root).String())
	if err != nil || base == c.base {
		return c.base, nil //nolint:nilerr // the root leads to no address that could be adopted
	}
	is, err := c.isPlatform(ctx, base)
	if err != nil {
		return "", err
	}
	if is {
		return base, nil
	}
	return c.base, nil
}

// isPlatform reports whether a platform answers at a base URL: with its system information, or with its own
// refusal of a request without a login. Its error is a veto.
func (c *Client) isPlatform(ctx context.Context, base string) (bool, error) {
	info, err := url.Parse(base + systemInfoPath)
	if err != nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, candidateTime)
	defer cancel()
	response, err := c.probe(ctx, info)
	if err != nil || response == nil {
		return false, err
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		return false, nil
	}
	var answer struct {
		Version    string
		HTTPStatus string `json:"httpStatus"`
		Code       int    `json:"httpStatusCode"`
		Status     string
	}
	if json.Unmarshal(response.Body, &answer) != nil {
		return false, nil
	}
	_, err = ParseVersion(answer.Version)
	refused := answer.HTTPStatus != "" && answer.Code == response.Status && answer.Status == "ERROR"
	return response.Status == http.StatusOK && err == nil || response.Status == http.StatusUnauthorized && refused, nil
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

// withoutPage returns a URL without the page of the platform that it leads to, query and fragment: without
// the first segment, after the path of the root, that begins such a page, and what follows.
func withoutPage(u, root *url.URL) *url.URL {
	base := strings.TrimRight(root.Path, "/")
	below, found := strings.CutPrefix(u.Path, base+"/")
	if !found {
		base, below = "", strings.TrimPrefix(u.Path, "/")
	}
	for segment := range strings.SplitSeq(below, "/") {
		switch {
		case segment == "", segment == "apps", segment == "api", segment == "login", strings.HasPrefix(segment, "dhis-web-"),
			strings.HasSuffix(segment, ".html"), strings.HasSuffix(segment, ".action"):
			return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: base}
		}
		base += "/" + segment
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: base}
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
