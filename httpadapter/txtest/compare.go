package txtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// comparison compares a response with the expected one.
type comparison struct {
	modes    []string
	level    Level
	partial  bool // ignore everything that is not expected (metadata)
	anyOrder bool // ignore the order of lists
	version  string
}

// diff describes the first difference at a path, or returns "".
func (c *comparison) diff(expected, actual any, path string) string {
	same := false
	switch want := expected.(type) {
	case object:
		if got, ok := actual.(object); ok {
			return c.diffObjects(want, got, path)
		}
	case list:
		if got, ok := actual.(list); ok {
			return c.diffLists(want, got, path)
		}
	case string:
		if got, ok := actual.(string); ok {
			var err error
			if same, err = c.stringMatches(want, got); err != nil {
				return at(path, "%v", err)
			}
		}
	case json.Number:
		if got, ok := actual.(json.Number); ok {
			same = sameNumber(want, got)
		}
	default: // true, false, null
		same = expected == actual
	}
	if same {
		return ""
	}
	return at(path, "expected %s, got %s", brief(expected), brief(actual))
}

// sameNumber reports whether two numbers have the same value: 1 equals 1.0.
func sameNumber(a, b json.Number) bool {
	x, errX := a.Float64()
	y, errY := b.Float64()
	return a == b || errX == nil && errY == nil && x == y
}

// Members of an expected object that control its comparison.
const (
	optionalProperties = "$optional-properties$" // names of optional members, or * for all
	countArrays        = "$count-arrays$"        // names of lists of which only the length is compared
	optionalEntry      = "$optional$"            // condition under which a list entry may be missing
	onlyEntry          = "$only$"                // condition under which the object is expected at all
	comments           = "fhir_comments"         // never compared
)

func (c *comparison) diffObjects(expected, actual object, path string) string {
	optional := names(expected, optionalProperties)
	free := func(key string) bool { return slices.Contains(optional, key) || slices.Contains(optional, "*") }
	counted := names(expected, countArrays)
	for _, key := range slices.Sorted(maps.Keys(actual)) {
		here := below(path, key)
		want, found := expected[key]
		switch {
		case key == comments:
		case !found || !c.belongs(want):
			if !c.partial && !free(key) {
				return at(here, "unexpected property %s", brief(actual[key]))
			}
		case slices.Contains(counted, key):
			wanted, _ := want.(list)
			got, ok := actual[key].(list)
			if !ok || len(wanted) != len(got) {
				return at(here, "expected %d entries, got %d", len(wanted), len(got))
			}
		default:
			if difference := c.diff(want, actual[key], here); difference != "" {
				return difference
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		if _, found := actual[key]; found || key == comments || strings.HasPrefix(key, "$") || free(key) {
			continue
		}
		if want := expected[key]; !c.mayBeAbsent(want) {
			return at(below(path, key), "missing property, expected %s", brief(want))
		}
	}
	return ""
}

// mayBeAbsent reports whether a member may be missing: a list whose objects are all optional, and
// anything that does not apply to this server.
func (c *comparison) mayBeAbsent(want any) bool {
	entries, isList := want.(list)
	if !isList {
		return !c.belongs(want)
	}
	inner := objectsOf(entries)
	if c.level == Strict && len(inner) == 0 {
		return false
	}
	return !slices.ContainsFunc(inner, func(o object) bool { return !c.isOptional(o) && c.belongs(o) })
}

// isOptional reports whether an expected list entry may be missing.
func (c *comparison) isOptional(entry any) bool {
	fields, _ := entry.(object)
	condition, found := fields[optionalEntry]
	return found && c.holds(condition)
}

// belongs reports whether an expected object applies to this server.
func (c *comparison) belongs(entry any) bool {
	fields, _ := entry.(object)
	condition, found := fields[onlyEntry]
	return !found || c.holds(condition)
}

// holds evaluates a condition: a boolean, a mode, !mode, version:N, or warning:text,
// which always holds.
func (c *comparison) holds(condition any) bool {
	word, isText := condition.(string)
	if !isText {
		return condition == true
	}
	kind, rest, _ := strings.Cut(word, ":")
	if kind == "version" && rest != "" {
		return strings.HasPrefix(c.version, rest)
	}
	if mode, not := strings.CutPrefix(word, "!"); not {
		return !slices.Contains(c.modes, mode)
	}
	return kind == "warning" || slices.Contains(c.modes, word)
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// at prefixes a difference with its path.
func at(path, format string, args ...any) string {
	return path + ": " + fmt.Sprintf(format, args...)
}

// brief returns the JSON of a value, shortened if it is long.
func brief(value any) string {
	const limit = 220
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	if len(data) > limit {
		return string(data[:limit]) + "…"
	}
	return string(data)
}
