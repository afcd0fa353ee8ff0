package index

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/roget-health/roget/codesystem/fold"
)

// Fold returns a text in the form in which strings are compared: without case, accents and
// punctuation, without white space at its ends, and with single blanks elsewhere
// (https://hl7.org/fhir/R4/search.html#string).
func Fold(s string) string {
	var buf [64]byte
	return string(appendFold(buf[:0], s, false))
}

// Spaced is Fold with a blank for punctuation.
func Spaced(s string) string {
	var buf [64]byte
	return string(appendFold(buf[:0], s, true))
}

// appendFold appends Fold(s) or Spaced(s). The result has no bytes below the blank.
func appendFold(dst []byte, s string, spaced bool) []byte {
	start, gap := len(dst), false
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendFoldRunes(dst, start, gap, s[i:], spaced)
		}
		if i++; i < len(s) && s[i] >= utf8.RuneSelf { // a combining mark may follow
			return appendFoldRunes(dst, start, gap, s[i-1:], spaced)
		}
		switch {
		case c <= ' ' || c == 0x7f:
			gap = len(dst) > start
			continue
		case punctuation(rune(c)):
			gap = gap || spaced && len(dst) > start
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if gap {
			dst, gap = append(dst, ' '), false
		}
		dst = append(dst, c)
	}
	return dst
}

// appendFoldRunes is appendFold from the first non-ASCII character on.
func appendFoldRunes(dst []byte, start int, gap bool, s string, spaced bool) []byte {
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
			case punctuation(r):
				gap = gap || spaced && len(dst) > start
				continue
			}
			if gap {
				dst, gap = append(dst, ' '), false
			}
			dst = fold.AppendRune(dst, r)
		}
	}
	return dst
}

// punctuation reports whether a character is ignored. Accents that stand alone, and modifier letters
// with the form of an apostrophe, are typed as one.
func punctuation(r rune) bool {
	return unicode.IsPunct(r) || unicode.Is(unicode.Sk, r) || 'ʹ' <= r && r <= 'ʿ'
}

// words yields the beginnings of texts by which names and addresses are found: of a folded text and
// of the spaced one, from each word on.
func words(text string, yield func(beginning []byte) bool) {
	var buf [128]byte
	joined := appendFold(buf[:0], text, false)
	spaced := appendFold(joined, text, true)[len(joined):]
	for _, list := range [2][]byte{joined, spaced} {
		for {
			if !yield(list) {
				return
			}
			i := bytes.IndexByte(list, ' ')
			if i < 0 {
				break
			}
			list = list[i+1:]
		}
	}
}

// Begins reports whether the text of a string, or of a name or address any of its words, begins with
// a folded text, or with the spaced form of it.
func (v *Value) Begins(folded, spaced string) bool {
	if v.Form != FormWords {
		return strings.HasPrefix(Fold(v.Text), folded)
	}
	found := false
	words(v.Text, func(beginning []byte) bool {
		found = bytes.HasPrefix(beginning, []byte(folded)) || bytes.HasPrefix(beginning, []byte(spaced))
		return !found
	})
	return found
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
