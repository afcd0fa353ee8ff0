package r4

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCanonical is returned for a canonical that cannot be split into its parts.
var ErrCanonical = errors.New("malformed canonical")

// SplitCanonical splits a canonical reference "url|version#fragment" into its parts
// (R4 references.html#canonical). Version and fragment may be absent; the | comes
// before the #. An empty url (a reference to a contained resource, "#id", excepted),
// an empty version or fragment after their separator, a separator given twice, a |
// after the #, and white space are errors that wrap ErrCanonical.
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

// JoinCanonical returns "url|version", or the url alone when version is empty. A version
// without a url names nothing: "".
func JoinCanonical(url, version string) string {
	if version == "" || url == "" {
		return url
	}
	return url + "|" + version
}
