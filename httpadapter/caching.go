package httpadapter

import (
	"net/http"
	"slices"
)

// Values of headers about caches. They are shared, and never modified.
var (
	valuePrivate     = []string{"private, no-cache"}
	varyCredentials  = "Authorization, Cookie"
	valueCredentials = []string{varyCredentials}
)

// keepPrivate keeps a response that depends on who asks out of shared caches, which otherwise store
// it for everybody if they are set to ignore Authorization, or if the client has a certificate. A
// browser may keep it, but asks before it uses it again: its user may have changed.
func keepPrivate(header http.Header) {
	header["Cache-Control"] = valuePrivate
	if header["Vary"] == nil {
		header["Vary"] = valueCredentials
	} else {
		header["Vary"] = append(slices.Clip(header["Vary"]), varyCredentials)
	}
}

// varyWith completes the header Vary: with plain, or with origin if Vary has an origin. Credentials
// in it stay.
func varyWith(set, plain, origin []string) []string {
	switch {
	case set == nil:
		return plain
	case set[len(set)-1] != varyCredentials:
		return origin
	case len(set) == 1:
		return []string{plain[0], varyCredentials}
	}
	return []string{origin[0], varyCredentials}
}
