package httpadapter

import (
	"net/url"
	"strings"
)

// secretParameters are the parameters of a query whose values are never logged: the id of a cache of
// resources, and tokens.
var secretParameters = [...]string{"cache-id", "access_token", "id_token", "refresh_token"}

// isSecret reports whether a parameter with an encoded name holds a secret.
func isSecret(encoded string) bool {
	name, err := url.QueryUnescape(encoded)
	if err != nil {
		return true // nobody knows what it is
	}
	for _, secret := range secretParameters {
		if strings.EqualFold(name, secret) {
			return true
		}
	}
	return false
}

// signInReturn is where an authorization server sends a browser with a code, the secret of a sign-in.
const signInReturn = "/ui/callback"

// withoutSecrets returns the address of a request for the log, without the values of parameters that
// hold secrets. Of the return from a sign-in these are all.
func withoutSecrets(u *url.URL) string {
	if u.RawQuery == "" {
		return u.RequestURI()
	}
	var kept strings.Builder
	returns := strings.HasSuffix(u.Path, signInReturn)
	for rest := u.RawQuery; rest != ""; {
		pair, separator := rest, ""
		if end := strings.IndexAny(rest, "&;"); end >= 0 {
			pair, separator = rest[:end], rest[end:end+1]
		}
		rest = rest[len(pair)+len(separator):]
		if name, _, found := strings.Cut(pair, "="); found && (returns || isSecret(name)) {
			pair = name + "=REDACTED"
		}
		kept.WriteString(pair + separator)
	}
	without := *u
	without.RawQuery = kept.String()
	return without.RequestURI()
}

// tokenIn reports whether a query has a token, which RFC 6750, section 2.3, permits and this server
// refuses.
func tokenIn(query string) bool {
	for len(query) > 0 {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(pair, "=")
		if len(name) < len("access_token") {
			continue
		}
		if name, err := url.QueryUnescape(name); err == nil && strings.EqualFold(name, "access_token") {
			return true
		}
	}
	return false
}
