package txtest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// errTemplate is a string between dollar signs that nobody knows.
var errTemplate = errors.New("unknown template")

const (
	instantForm = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)`
	semverPart  = `(0|[1-9]\d*)`
)

// forms are the templates that stand for any value of a form.
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

// matches reports whether a pattern describes a whole string.
func matches(pattern string) func(string) bool {
	return regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString
}

// versionTemplate is the one template that may be a part of a string.
const versionTemplate = "$version$"

// stringMatches compares an expected string, or template, with one of an answer.
func (c *comparison) stringMatches(expected, actual string) (bool, error) {
	if strings.Contains(expected, "<div") && strings.Contains(actual, "<div") {
		return true, nil // narrative is the server's own
	}
	if len(expected) < 2 || expected[0] != '$' || expected[len(expected)-1] != '$' || expected == versionTemplate {
		return c.level.same(strings.ReplaceAll(expected, versionTemplate, fhirVersion), actual), nil
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
	case "external": // number of a text that is the server's own, fragments it has
		_, fragments, _ := strings.Cut(rest, ":")
		if c.level != Strict {
			fragments, _, _ = strings.Cut(fragments, ":")
		}
		return containsAll(actual, fragments), nil
	}
	return false, fmt.Errorf("%w %s", errTemplate, expected)
}

// containsAll reports that a text has each of the fragments that bars separate, in any
// case.
func containsAll(text, fragments string) bool {
	text = strings.ToLower(text)
	for fragment := range strings.SplitSeq(strings.ToLower(fragments), "|") {
		if !strings.Contains(text, fragment) {
			return false
		}
	}
	return true
}
