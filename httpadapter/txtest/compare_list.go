package txtest

import (
	"fmt"
	"slices"
	"strings"
)

// diffLists compares lists entry by entry. It skips expected entries that are optional and do not
// match.
func (c *comparison) diffLists(expected, actual list, path string) string {
	wanted := slices.DeleteFunc(slices.Clone(expected), func(e any) bool { return !c.belongs(e) })
	if c.partial || c.anyOrder {
		return c.diffUnordered(wanted, actual, path)
	}
	required := 0
	for _, want := range wanted {
		if !c.isOptional(want) {
			required++
		}
	}
	if len(actual) < required || len(actual) > len(wanted) {
		return at(path, "expected %s entries, got %d%s", span(required, len(wanted)), len(actual), c.surplus(wanted, actual))
	}
	next := 0
	for _, want := range wanted {
		difference := ""
		if next < len(actual) {
			difference = c.diff(want, actual[next], entryPath(path, next, actual[next]))
		} else {
			difference = at(entryPath(path, next, nil), "missing entry, expected %s", brief(want))
		}
		switch {
		case difference == "":
			next++
		case !c.isOptional(want):
			return difference
		}
	}
	if next < len(actual) {
		return at(entryPath(path, next, nil), "unexpected entry %s", brief(actual[next]))
	}
	return ""
}

// diffUnordered assigns a different entry to each expected one: the first that matches. Required
// entries are assigned before optional ones.
func (c *comparison) diffUnordered(expected, actual list, path string) string {
	wanted := slices.Clone(expected)
	slices.SortStableFunc(wanted, func(a, b any) int { return order(c.isOptional(a)) - order(c.isOptional(b)) })
	taken := make([]bool, len(actual))
	near := "" // the difference to the first entry with the same label
	for _, want := range wanted {
		found := false
		for i := range actual {
			if taken[i] {
				continue
			}
			difference := c.diff(want, actual[i], entryPath(path, i, actual[i]))
			if found = difference == ""; found {
				taken[i] = true
				break
			}
			if name := label(want); near == "" && name != "" && name == label(actual[i]) {
				near = difference
			}
		}
		if found || c.isOptional(want) {
			continue
		}
		if near != "" {
			return near
		}
		return at(path, "entry not found: %s", brief(want))
	}
	if i := slices.Index(taken, false); i >= 0 && !c.partial {
		return at(entryPath(path, i, nil), "unexpected entry %s", brief(actual[i]))
	}
	return ""
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// surplus lists the labels of the entries that are on one side only.
func (c *comparison) surplus(expected, actual list) string {
	var got, want, extra, missing []string
	for _, entry := range actual {
		got = append(got, label(entry))
	}
	for _, entry := range expected {
		name := label(entry)
		want = append(want, name)
		if !c.isOptional(entry) && !slices.Contains(got, name) {
			missing = append(missing, name)
		}
	}
	for _, name := range got {
		if name != "" && !slices.Contains(want, name) {
			extra = append(extra, name)
		}
	}
	return named("; extra", extra) + named("; missing", missing)
}

func named(title string, labels []string) string {
	const limit = 4
	if len(labels) == 0 {
		return ""
	}
	return title + " " + strings.Join(labels[:min(len(labels), limit)], " ")
}

// span formats a range of counts.
func span(least, most int) string {
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

func entryPath(path string, index int, entry any) string {
	return fmt.Sprintf("%s[%d]%s", path, index, label(entry))
}

// label returns a short name of a list entry, for paths.
func label(entry any) string {
	fields, _ := entry.(object)
	for _, key := range []string{"name", "code", "url", "severity", "language"} {
		name := text(fields, key)
		switch {
		case name == "version" || name == "used-codesystem":
			return "(" + name + "=" + plain(valueOf(fields)) + ")"
		case name != "":
			return "(" + name + ")"
		}
	}
	return ""
}
