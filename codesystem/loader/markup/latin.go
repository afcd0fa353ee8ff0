package markup

import (
	"bufio"
	"io"
	"unicode/utf8"
)

// windows1252 holds the characters of the bytes 80 to 9F in Windows-1252; in ISO 8859-1 these are
// control characters. Five bytes have no character.
var windows1252 = [32]rune{
	'\u20ac', utf8.RuneError, '\u201a', '\u0192', '\u201e', '\u2026', '\u2020', '\u2021',
	'\u02c6', '\u2030', '\u0160', '\u2039', '\u0152', utf8.RuneError, '\u017d', utf8.RuneError,
	utf8.RuneError, '\u2018', '\u2019', '\u201c', '\u201d', '\u2022', '\u2013', '\u2014',
	'\u02dc', '\u2122', '\u0161', '\u203a', '\u0153', utf8.RuneError, '\u017e', '\u0178',
}

// latin converts text with one byte per character to UTF-8.
type latin struct {
	in    *bufio.Reader
	upper *[32]rune // of the bytes 80 to 9F; nil for ISO 8859-1
	rest  []byte    // of a character that did not fit
}

func newLatin(in io.Reader, upper *[32]rune) *latin {
	return &latin{in: bufio.NewReader(in), upper: upper}
}

// Read fills p with the available characters.
func (l *latin) Read(p []byte) (int, error) {
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	for n < len(p) && (n == 0 || l.in.Buffered() > 0) {
		b, err := l.in.ReadByte()
		if err != nil {
			return n, err
		}
		r := rune(b)
		if l.upper != nil && b >= 0x80 && b < 0xa0 {
			r = l.upper[b-0x80]
		}
		text := utf8.AppendRune(nil, r)
		took := copy(p[n:], text)
		l.rest, n = text[took:], n+took
	}
	return n, nil
}
