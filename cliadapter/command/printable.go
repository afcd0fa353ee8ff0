package command

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Printable makes text from outside safe for one line on a terminal: control characters, line breaks,
// characters that change the direction of text, and those that nobody sees become spaces. Joiners, by
// which scripts and emoji are formed, stay.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return ' '
		}
		return r
	}, text)
}

func hidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0: // control characters
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // line breaks and directions
	case r == 0x200b, r >= 0x2060 && r <= 0x2065, r >= 0x206a && r <= 0x206f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb: // without width
	case r >= 0xe0000 && r <= 0xe007f: // tags: text that nobody sees
	default:
		return false
	}
	return true
}

// Clip cuts text to a number of columns of a terminal. A text that was cut ends with an ellipsis.
func Clip(text string, columns int) string {
	used, end, read := 0, 0, 0
	for clusters := displaywidth.StringGraphemes(text); clusters.Next(); {
		if used += clusters.Width(); used > columns {
			if columns <= 0 {
				return ""
			}
			return text[:end] + "…"
		}
		if read += len(clusters.Value()); used < columns { // room for the ellipsis
			end = read
		}
	}
	return text
}
