package index

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text in the form in which strings are compared: without case and accents, without
// white space at its ends, and with single blanks elsewhere
// (https://hl7.org/fhir/R4/search.html#string).
func Fold(s string) string {
	var buf [64]byte
	return string(appendFold(buf[:0], s))
}

// appendFold appends Fold(s). The result has no bytes below the blank.
func appendFold(dst []byte, s string) []byte {
	start, gap := len(dst), false
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendFoldRunes(dst, start, gap, s[i:])
		}
		i++
		switch {
		case c <= ' ' || c == 0x7f:
			gap = len(dst) > start
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if i < len(s) && s[i] >= utf8.RuneSelf { // a combining mark may follow
			return appendFoldRunes(dst, start, gap, s[i-1:])
		}
		if gap {
			dst, gap = append(dst, ' '), false
		}
		dst = append(dst, c)
	}
	return dst
}

// appendFoldRunes is appendFold from the first non-ASCII character on.
func appendFoldRunes(dst []byte, start int, gap bool, s string) []byte {
	var it norm.Iter
	it.InitString(norm.NFD, s)
	for !it.Done() {
		for piece := it.Next(); len(piece) > 0; {
			r, n := utf8.DecodeRune(piece)
			piece = piece[n:]
			switch {
			case unicode.Is(unicode.Mn, r):
				continue
			case unicode.IsSpace(r) || unicode.IsControl(r):
				gap = len(dst) > start
				continue
			}
			if gap {
				dst, gap = append(dst, ' '), false
			}
			dst = utf8.AppendRune(dst, foldRune(r))
		}
	}
	return dst
}

// foldRune returns the lower case of a rune. Both forms of the small sigma become one.
func foldRune(r rune) rune {
	if r == 'ς' {
		return 'σ'
	}
	return unicode.ToLower(r)
}

// capText truncates a folded text to the maximum of an entry, at the end of a character.
func capText(s []byte) (text []byte, capped bool) {
	if len(s) <= textCap {
		return s, false
	}
	n := textCap
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}
