package codesystem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// foldRune returns the representative of all runes that differ only in case: the least rune of the
// orbit of unicode.SimpleFold, as for strings.EqualFold.
func foldRune(r rune) rune {
	smallest := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		smallest = min(smallest, f)
	}
	return smallest
}

// appendFolded appends s with its case folded: two valid UTF-8 texts fold to the same bytes
// exactly when strings.EqualFold reports true.
func appendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendFoldedRunes(dst, s[i:])
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func appendFoldedRunes(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, s[i])
		} else {
			dst = utf8.AppendRune(dst, foldRune(r))
		}
		i += size
	}
	return dst
}

func equalFolded(a, b string) bool { return strings.EqualFold(a, b) }
