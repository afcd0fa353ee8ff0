package synth

import (
	"strings"
	"unicode/utf8"
)

// phone writes a ContactPoint with a telephone number reserved for fiction, +1-NXX-555-0100 to
// 0199. system is phone, fax, sms or pager.
func (d *draft) phone(system, use string) {
	area := d.between(2, 9)*100 + d.below(9)*10 + d.between(2, 9) // neither N11 nor N9X
	d.object("")
	d.text("system", system)
	d.member("value")
	d.buf = appendInt(append(d.buf, `"+1-`...), area)
	d.buf = appendDigits(append(d.buf, "-555-01"...), d.below(100), 2)
	d.buf = append(d.buf, '"')
	d.text("use", use)
	d.end()
}

// email writes a ContactPoint with an address at example.org: the letters and digits of two
// words, and a number.
func (d *draft) email(use, first, second string) {
	d.object("")
	d.text("system", "email")
	d.member("value")
	d.buf = append(d.buf, '"')
	begun := len(d.buf)
	d.buf = appendPlain(d.buf, first)
	if len(d.buf) > begun {
		d.buf = append(d.buf, '.')
	}
	n := len(d.buf)
	if d.buf = appendPlain(d.buf, second); len(d.buf) > n {
		d.buf = append(d.buf, '.')
	}
	d.buf = appendInt(d.buf, d.between(10, 999))
	d.buf = append(d.buf, `@example.org"`...)
	d.text("use", use)
	d.end()
}

// plainLetters are pairs of an accented letter and its base letter.
const plainLetters = "áaàaâaäaảaạaąaãaåaÁaÄaÅaçcćcÇcđdĐdéeèeêeëeệeễeęeÉeğgíiìiîiïiıiłlŁlñnńnóoòoôoöoọoơoÓoÖořrśsşsŞsšsúuùuûuüuũuưuÚuÜuýyżzźzžzŻz"

// appendPlain appends a word in lower case without accents. Characters that are neither letters
// of a to z nor digits are left out.
func appendPlain(dst []byte, word string) []byte {
	for _, r := range word {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			dst = append(dst, byte(r))
		case r >= 'A' && r <= 'Z':
			dst = append(dst, byte(r)+'a'-'A')
		case r == 'ß':
			dst = append(dst, "ss"...)
		case r >= utf8.RuneSelf:
			if i := strings.IndexRune(plainLetters, r); i >= 0 {
				dst = append(dst, plainLetters[i+utf8.RuneLen(r)])
			}
		}
	}
	return dst
}
