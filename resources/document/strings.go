package document

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/r4"
)

// str parses the string whose characters begin at pos, and reports whether it has escapes.
func (p *parser) str(pos int) (end int, escaped bool) {
	data := p.data
	for {
		pos = r4.SkipPlain(data, pos, len(data))
		if pos == len(data) {
			return p.fail(pos), false
		}
		switch c := data[pos]; {
		case c == '"':
			return pos + 1, escaped
		case c == '\\':
			_, n := escape(data[pos:])
			if n == 0 {
				return p.fail(pos), false
			}
			escaped = true
			pos += n
		case c < ' ':
			return p.fail(pos), false
		default:
			r, n := utf8.DecodeRune(data[pos:])
			if r == utf8.RuneError && n == 1 {
				return p.fail(pos), false
			}
			pos += n
		}
	}
}

// escape parses the escape sequence at the beginning of s, including both halves of a surrogate
// pair. It returns its length, 0 if it is malformed.
func escape[T string | []byte](s T) (r rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, ok := hexadecimal(s)
		if !ok || !utf16.IsSurrogate(r) {
			if !ok {
				return 0, 0
			}
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := hexadecimal(s[6:]); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
	}
	return 0, 0
}

// hexadecimal returns the number of the \u and four digits that s begins with.
func hexadecimal[T string | []byte](s T) (r rune, ok bool) {
	if len(s) < 6 {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape appends the characters of a well-formed string.
func unescape(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			start := i
			for i < len(s) && s[i] != '\\' {
				i++
			}
			dst = append(dst, s[start:i]...)
			continue
		}
		r, n := escape(s[i:])
		if n == 0 {
			break
		}
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}
