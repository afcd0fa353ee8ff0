package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A version is the number of a release as Go modules write it: "v1.2.3", "v1.3.0-rc.1", or the
// pseudo-version of a commit between releases.
type version string

var versionForm = regexp.MustCompile(`^v(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9A-Za-z.-]+)?$`)

func parseVersion(text string) (version, error) {
	if !versionForm.MatchString(text) {
		return "", fmt.Errorf("version %q is not of the form v1.2.3 or v1.2.3-rc.1", text)
	}
	return version(text), nil
}

// number returns the version without the letter.
func (v version) number() string { return strings.TrimPrefix(string(v), "v") }

// debian returns the version as Debian orders it: what comes before a release sorts before it, and
// the last part is the revision of the package.
func (v version) debian() string {
	number, before, found := strings.Cut(v.number(), "-")
	if found {
		number += "~" + strings.ReplaceAll(before, "-", ".")
	}
	return number + "-1"
}
