package auth

import (
	"errors"
	"net/url"
	"strings"
)

// CleanBaseURL checks the address of a platform and gives it without slashes at its end.
// It is http or https with a host and perhaps a path; credentials, a query and a fragment
// are refused. Errors do not show the address, which may hold a password.
func CleanBaseURL(address string) (string, error) {
	refuse := func(why string) (string, error) { return "", &FieldError{"base_url", errors.New(why)} }
	if HasControl(address) || len(address) > 4096 {
		return refuse("it is not an address; write https://platform.example.org")
	}
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return refuse("it is not an address of http or https; write https://platform.example.org")
	case u.User != nil:
		return refuse("it has a user name or password; leave them out, they belong in their own fields")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return refuse("it has a query or fragment; leave out what follows ? or #")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// ShownURL returns an address to show: one that CleanBaseURL refuses, as files written by hand
// may have, without what may be a password in it.
func ShownURL(address string) string {
	if _, err := CleanBaseURL(address); err == nil {
		return address
	}
	address, _, _ = strings.Cut(address, "?")
	if at := strings.LastIndex(address, "@"); at >= 0 {
		return mask + address[at:]
	}
	return address
}
