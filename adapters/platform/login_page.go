package platform

import "net/url"

// IsLogin reports whether the Location of a redirect looks like a login page of the platform or of an
// identity provider. Such a redirect means that the request was not signed in.
func IsLogin(location string) bool {
	u, err := url.Parse(location)
	return err == nil && isLogin(u.Path)
}
