package codesystem

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/roget-health/roget/codesystem/fold"
)

// Text is searched in a normal form: its words, folded, joined by single spaces.
//
// Folding decomposes characters (Unicode NFKD: é is e and a mark, ﬁ is fi, ² is 2), drops marks
// (categories Mn, Me) and format characters, and folds letters (package fold).
//
// A word is a run of letters, numbers and spacing marks. Everything else separates words. Each
// Han, Hiragana and Katakana character is a word by itself, since these scripts have no spaces. In
// other scripts without spaces (Thai, Lao, Khmer, Burmese) a run of letters is one word, so only
// the beginning of a run is found.

// Classes of a folded rune.
const (
	runeDrop = iota
	runeSeparator
	runeWord
	runeAlone // a word by itself
)

// asciiFold returns the folded form of ASCII letters and digits, 0 for separators.
var asciiFold = func() (t [utf8.RuneSelf]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// appendNormal appends the normal form of a text.
func appendNormal(dst []byte, s string) []byte {
	start := len(dst)
	gap := false // whether a separator followed the last word
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			i++
			f := asciiFold[c]
			if f == 0 {
				gap = true
				continue
			}
			if gap {
				if len(dst) > start {
					dst = append(dst, ' ')
				}
				gap = false
			}
			dst = append(dst, f)
			continue
		}
		var size int
		dst, gap, size = appendNormalRune(dst, start, gap, s[i:])
		i += size
	}
	return dst
}

// appendNormalRune appends the normal form of the first character of s.
func appendNormalRune(dst []byte, start int, gap bool, s string) ([]byte, bool, int) {
	var buf [24]byte
	decomposed, size := decompose(buf[:0], s)
	for len(decomposed) > 0 {
		r, n := utf8.DecodeRune(decomposed)
		bad := r == utf8.RuneError && n == 1
		decomposed = decomposed[n:]
		class := classOf(r)
		switch {
		case class == runeDrop:
			continue
		case class == runeSeparator || bad:
			gap = true
			continue
		}
		if (gap || class == runeAlone) && len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = fold.AppendRune(dst, r)
		gap = class == runeAlone
	}
	return dst, gap, size
}

// appendFoldedText appends a text folded as words are, without splitting it. Codes are searched in
// this form.
func appendFoldedText(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		var buf [24]byte
		decomposed, size := decompose(buf[:0], s[i:])
		i += size
		for len(decomposed) > 0 {
			r, n := utf8.DecodeRune(decomposed)
			decomposed = decomposed[n:]
			if classOf(r) != runeDrop {
				dst = fold.AppendRune(dst, r)
			}
		}
	}
	return dst
}

// Hangul syllables decompose by rule (Unicode 3.12).
const (
	hangulBase  = 0xAC00
	hangulCount = 11172
	leadBase    = 0x1100
	vowelBase   = 0x1161
	trailBase   = 0x11A7
	vowelCount  = 21
	trailCount  = 28
)

// decompose appends the compatibility decomposition of the first character of s and returns its
// size in s. Bytes that are not UTF-8 stay unchanged.
func decompose(dst []byte, s string) ([]byte, int) {
	r, size := utf8.DecodeRuneInString(s)
	if i := r - hangulBase; 0 <= i && i < hangulCount {
		dst = utf8.AppendRune(dst, leadBase+i/(vowelCount*trailCount))
		dst = utf8.AppendRune(dst, vowelBase+i%(vowelCount*trailCount)/trailCount)
		if t := i % trailCount; t > 0 {
			dst = utf8.AppendRune(dst, trailBase+t)
		}
		return dst, size
	}
	if d := norm.NFKD.PropertiesString(s[:size]).Decomposition(); d != nil {
		return append(dst, d...), size
	}
	return append(dst, s[:size]...), size
}

// classOf returns the class of a decomposed rune.
func classOf(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		if asciiFold[r] == 0 {
			return runeSeparator
		}
		return runeWord
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return runeDrop
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return runeAlone
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Mc, r):
		return runeWord
	}
	return runeSeparator
}
