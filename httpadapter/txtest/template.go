package txtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// errTemplate is the error of an unknown template between dollar signs.
var errTemplate = errors.New("unknown template")

const (
	instantForm = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)`
	semverPart  = `(0|[1-9]\d*)`
)

// forms are the templates that match any value of a form.
var forms = map[string]func(string) bool{
	"$$":        func(string) bool { return true },
	"$string$":  func(s string) bool { return s == strings.TrimSpace(s) },
	"$instant$": matches(instantForm),
	"$date$":    matches(`\d{4}(-\d\d(-\d\d)?)?|` + instantForm),
	"$uuid$":    matches(`urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`),
	"$id$":      matches(`[A-Za-z0-9.-]{1,64}`),
	"$url$":     matches(`(https?://|www\.)[-\w+&@#/%?=~|!:.;]*[-\w+&@#/%=~|]`),
	"$token$":   matches(`\w[\w.-]*`),
	"$semver$":  matches(semverPart + `\.` + semverPart + `\.` + semverPart + `(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?`),
}

// matches returns a function that reports whether a whole string matches pattern.
func matches(pattern string) func(string) bool {
	return regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString
}

// versionTemplate is the only template that may be part of a longer string.
const versionTemplate = "$version$"

// stringMatches reports whether a string of a response matches the expected string or template.
func (c *comparison) stringMatches(expected, actual string) (bool, error) {
	if strings.Contains(expected, "<div") && strings.Contains(actual, "<div") {
		return true, nil // narrative is not compared
	}
	if len(expected) < 2 || expected[0] != '$' || expected[len(expected)-1] != '$' || expected == versionTemplate {
		return c.level.same(strings.ReplaceAll(expected, versionTemplate, c.version), actual), nil
	}
	if is, found := forms[expected]; found {
		return is(actual), nil
	}
	kind, rest, _ := strings.Cut(expected[1:len(expected)-1], ":")
	switch kind {
	case "choice":
		return slices.Contains(strings.Split(rest, "|"), actual), nil
	case "fragments":
		return containsAll(actual, rest), nil
	case "external": // the number of a server-specific text and the fragments it contains
		_, fragments, _ := strings.Cut(rest, ":")
		if c.level != Strict {
			fragments, _, _ = strings.Cut(fragments, ":")
		}
		return containsAll(actual, fragments), nil
	}
	return false, fmt.Errorf("%w %s", errTemplate, expected)
}

// containsAll reports whether a text contains each of the fragments, which are separated by "|". Case
// is ignored.
func containsAll(text, fragments string) bool {
	text = strings.ToLower(text)
	for fragment := range strings.SplitSeq(strings.ToLower(fragments), "|") {
		if !strings.Contains(text, fragment) {
			return false
		}
	}
	return true
}
