package auth

import (
	"errors"
	"net/url"
	"strings"
)

// CleanBaseURL checks the base URL of a platform and returns it without trailing slashes. The
// scheme must be http or https. Credentials, a query and a fragment are refused. Errors do not show
// the URL, because it may contain a password.
func CleanBaseURL(address string) (string, error) {
	refuse := func(why string) (string, error) { return "", &FieldError{"base_url", errors.New(why)} }
	if HasControl(address) || len(address) > 4096 {
		return refuse("it is not a URL; write it like https://platform.example.org")
	}
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return refuse("it is not a URL that begins with http:// or https://; write it like https://platform.example.org")
	case u.User != nil:
		return refuse("it contains a user name or password; give them separately")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return refuse("it has a query or fragment; leave out the part from ? or # on")
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// ShownURL returns a base URL for display. If CleanBaseURL refuses the URL, as it may be in a file
// written by hand, the part that may be a password is masked.
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
