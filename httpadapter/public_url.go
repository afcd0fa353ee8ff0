package httpadapter

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// publicURL is Config.BaseURL in parts.
type publicURL struct {
	text string // without a slash at its end
	host string // without the port
	path string // "", or a path without a slash at its end
}

// parsePublicURL parses an absolute URL: a scheme, a host and perhaps a path.
func parsePublicURL(text string) (publicURL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return publicURL{}, errors.New("is not a URL")
	}
	host, _, ok := splitAuthority(u.Host)
	path := strings.TrimRight(u.Path, "/")
	switch {
	case u.Scheme != "http" && u.Scheme != "https", !ok, u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return publicURL{}, errors.New("is not of the form https://host or https://host/path")
	case path != validPrefix(path) || u.RawPath != "":
		return publicURL{}, errors.New("has a path with other characters than letters, digits, '.', '_', '~', '-' and '/'")
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if first != "" && reserved(first) {
		return publicURL{}, fmt.Errorf("has a path that begins with /%s, which is a path of this server; leave it out, or choose another one, such as /fhir", first)
	}
	return publicURL{text: u.Scheme + "://" + u.Host + path, host: host, path: path}, nil
}

// CheckBaseURL returns an error if Config.BaseURL may not be a URL. The error is what is wrong with it,
// without the URL.
func CheckBaseURL(text string) error {
	_, err := parsePublicURL(text)
	return err
}

// reserved reports whether the first segment of a path belongs to the server itself. A request below
// it would have two meanings if the path of the public URL began with it.
func reserved(segment string) bool {
	for i := range bases {
		if bases[i].path == "/"+segment {
			return true
		}
	}
	switch segment {
	case "metadata", "openapi.json", "healthz", "readyz", "metrics", "ui", ".well-known":
		return true
	}
	return segment[0] >= 'A' && segment[0] <= 'Z' || segment[0] == '_'
}

// withoutPublicPath returns the request without the path of the public URL. A proxy may remove that
// path or leave it.
func (h *Handler) withoutPublicPath(r *http.Request) *http.Request {
	if h.public.path == "" {
		return r
	}
	rest, found := strings.CutPrefix(r.URL.Path, h.public.path)
	if !found || rest != "" && rest[0] != '/' {
		return r
	}
	below := *r
	u := *r.URL
	u.Path, u.RawPath = rest, strings.TrimPrefix(r.URL.RawPath, h.public.path)
	if u.Path == "" {
		u.Path = "/"
	}
	below.URL = &u
	return &below
}
