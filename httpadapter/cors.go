package httpadapter

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// CheckOrigin returns an error if Config.CORSOrigins may not contain an origin.
func CheckOrigin(origin string) error {
	switch {
	case origin == "*":
		return nil
	case origin == "null":
		return errors.New(`"null" is the origin of every sandboxed page and of files, so it identifies nobody; serve the page from an address`)
	case strings.Contains(origin, "*"):
		return fmt.Errorf("%q has an asterisk; list each origin, or use * alone for all", origin)
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || validAuthority(u.Host) == "" {
		return fmt.Errorf("%q is not an origin such as https://app.example or http://localhost:3000", origin)
	}
	if bare := u.Scheme + "://" + u.Host; bare != origin {
		return fmt.Errorf("%q has more than a scheme, a host and a port; an origin is %s", origin, bare)
	}
	if lower := strings.ToLower(origin); lower != origin {
		return fmt.Errorf("%q has capital letters, which browsers do not send; use %s", origin, lower)
	}
	return nil
}

// newCORS returns the policy for browsers, or nil when no origin is configured. The server
// sets no cookies, so credentials are never allowed.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Accept", "Accept-Language", "Authorization", "Content-Type", "If-Match", "If-Modified-Since",
			"If-None-Exist", "If-None-Match", "Prefer", "X-Requested-With", headerCacheID, headerRequestID, HeaderSeq,
		},
		ExposedHeaders: []string{"Content-Location", "ETag", "Last-Modified", "Location", "Retry-After", "WWW-Authenticate", headerRequestID, HeaderSeq},
		MaxAge:         600,
	})
}
