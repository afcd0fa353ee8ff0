package uiadapter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts of terminologies are shown as they are, in elements that isolate their direction. Some places
// have no such elements or little room.

const (
	// maxShort is the length of a text in a list, and maxWhole that of one that is shown at once where
	// there is room, in characters.
	maxShort, maxWhole = 160, 600
	// maxTitle is the length of the title of a page.
	maxTitle = 120
)

// short returns a text for a list: its beginning if it is long.
func short(s string) string { return cut(s, maxShort) }

// isLong reports whether a text is too long to be shown at once.
func isLong(s string) bool { return len(s) > maxWhole && utf8.RuneCountInString(s) > maxWhole }

// begin returns the beginning of a long text.
func begin(s string) string { return cut(s, maxWhole/2) }

// cut returns the first characters of a text, with an ellipsis if there are more.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return strings.TrimRightFunc(s[:i], unicode.IsSpace) + "…"
		}
		n++
	}
	return s
}

// plain returns a text without characters that control its direction or the device, for places that
// have text only, such as the title of a page.
func plain(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) && c != '\u200c' && c != '\u200d' { // joiners belong to words and emoji
			return -1
		}
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, cut(s, 2*maxTitle))
	return cut(s, maxTitle)
}
