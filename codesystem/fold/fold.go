// Package fold folds letters to those that people type. Code systems and resources are searched alike.
package fold

import (
	"unicode"
	"unicode/utf8"
)

// AppendRune appends a rune of a decomposed text in lower case, with ß as ss. Letters that do not
// decompose but are commonly typed without their stroke or as two letters are replaced: ø o, ł l, đ
// and ð d, ħ h, ŧ t, æ ae, œ oe, þ th, ı i.
func AppendRune(dst []byte, r rune) []byte {
	if r >= utf8.RuneSelf {
		r = unicode.ToLower(unicode.ToUpper(r))
		switch r {
		case 'ß', 'ẞ':
			return append(dst, "ss"...)
		case 'æ':
			return append(dst, "ae"...)
		case 'œ':
			return append(dst, "oe"...)
		case 'þ':
			return append(dst, "th"...)
		case 'ø':
			r = 'o'
		case 'ł':
			r = 'l'
		case 'đ', 'ð':
			r = 'd'
		case 'ħ':
			r = 'h'
		case 'ŧ':
			r = 't'
		case 'ı':
			r = 'i'
		}
		return utf8.AppendRune(dst, r)
	}
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return append(dst, byte(r))
}
