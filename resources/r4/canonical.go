package r4

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCanonical is returned for a malformed canonical.
var ErrCanonical = errors.New("malformed canonical")

// SplitCanonical splits a canonical reference "url|version#fragment" into its parts (R4
// references.html#canonical). Version and fragment may be absent; the | comes before the #. It
// returns an error that wraps ErrCanonical for an empty url (except in a reference to a contained
// resource, "#id"), an empty version or fragment after its separator, a repeated separator, a |
// after the #, and white space.
func SplitCanonical(s string) (url, version, fragment string, err error) {
	fail := func(why string) (string, string, string, error) {
		return "", "", "", fmt.Errorf("%w %q: %s", ErrCanonical, s, why)
	}
	if strings.ContainsAny(s, " \t\r\n") {
		return fail("white space")
	}
	rest, fragment, hasFragment := strings.Cut(s, "#")
	if hasFragment {
		switch {
		case fragment == "":
			return fail("nothing after #")
		case strings.Contains(fragment, "#"):
			return fail("more than one #")
		case strings.Contains(fragment, "|"):
			return fail("| after #: the version comes before the fragment")
		}
	}
	url, version, hasVersion := strings.Cut(rest, "|")
	switch {
	case hasVersion && version == "":
		return fail("nothing after |")
	case strings.Contains(version, "|"):
		return fail("more than one |")
	case url == "" && (hasVersion || !hasFragment):
		return fail("no url")
	}
	return url, version, fragment, nil
}

// JoinCanonical returns "url|version", or only the url if version is empty. It returns "" without a
// url.
func JoinCanonical(url, version string) string {
	if version == "" || url == "" {
		return url
	}
	return url + "|" + version
}
