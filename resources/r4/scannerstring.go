package r4

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Text consumes a string and returns its characters, with escapes resolved. The slice is valid
// until the next call. Another kind of value is an error.
func (s *Scanner) Text() []byte {
	if !s.want(KindString) {
		return nil
	}
	return s.quoted()
}

// readText consumes a string.
func readText(s *Scanner, dst *string) { *dst = string(s.Text()) }

// readTexts consumes an array of strings. It skips null, which stands for an element that has only
// extensions.
func readTexts(s *Scanner, dst *[]string) {
	if !s.Array() {
		return
	}
	for s.Element() {
		if s.Null() {
			continue
		}
		*dst = append(*dst, string(s.Text()))
	}
}

// Words of eight bytes, each repeating one byte.
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = ones * '"'
	slashs = ones * '\\'
	spaces = ones * ' '
)

// SkipPlain returns the first position from i on, before end, of a byte that is not a plain
// character of a string: a quote, a backslash, a control character or not ASCII.
func SkipPlain(buf []byte, i, end int) int {
	for i+8 <= end {
		w := binary.LittleEndian.Uint64(buf[i:])
		q, b := w^quotes, w^slashs
		if m := ((q-ones)&^q | (b-ones)&^b | (w-spaces)&^w | w) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for i < end {
		if c := buf[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i
		}
		i++
	}
	return i
}

// quoted consumes the string at pos, which is at the opening quote. The result is in buf if the
// string has no escapes, otherwise in str.
func (s *Scanner) quoted() []byte {
	s.pos++
	i := s.pos
	for {
		i = SkipPlain(s.buf, i, s.end)
		if i == s.end {
			n := i - s.pos
			if n > s.lim.MaxToken {
				s.fail(s.pos, "too-long", "a string is longer than %d bytes", s.lim.MaxToken)
				return nil
			}
			if !s.fill() {
				s.endsInString()
				return nil
			}
			i = s.pos + n
			continue
		}
		switch c := s.buf[i]; {
		case c == '"':
			text := s.buf[s.pos:i]
			s.pos = i + 1
			if len(text) > s.lim.MaxToken {
				s.fail(s.pos, "too-long", "a string is longer than %d bytes", s.lim.MaxToken)
				return nil
			}
			return text
		case c == '\\':
			s.str = append(s.str[:0], s.buf[s.pos:i]...)
			s.pos = i
			return s.escaped()
		case c < ' ':
			s.pos = i
			s.controlInString()
			return nil
		default:
			n, ok := s.character(i)
			if !ok {
				return nil
			}
			i = s.pos + n
		}
	}
}

// escaped continues a string that has escapes, from pos on, and collects it in str.
func (s *Scanner) escaped() []byte {
	for {
		i := SkipPlain(s.buf, s.pos, s.end)
		s.str = append(s.str, s.buf[s.pos:i]...)
		s.pos = i
		if len(s.str) > s.lim.MaxToken {
			s.fail(s.pos, "too-long", "a string is longer than %d bytes", s.lim.MaxToken)
			return nil
		}
		if i == s.end {
			if !s.fill() {
				s.endsInString()
				return nil
			}
			continue
		}
		switch c := s.buf[i]; {
		case c == '"':
			s.pos++
			return s.str
		case c == '\\':
			r, ok := s.escape()
			if !ok {
				return nil
			}
			s.str = utf8.AppendRune(s.str, r)
		case c < ' ':
			s.controlInString()
			return nil
		default:
			n, ok := s.character(i)
			if !ok {
				return nil
			}
			s.str = append(s.str, s.buf[s.pos:s.pos+n]...)
			s.pos += n
		}
	}
}

// skipString consumes the string at pos without keeping it.
func (s *Scanner) skipString() {
	s.pos++
	for {
		s.pos = SkipPlain(s.buf, s.pos, s.end)
		if s.pos == s.end {
			if !s.fill() {
				s.endsInString()
				return
			}
			continue
		}
		switch c := s.buf[s.pos]; {
		case c == '"':
			s.pos++
			return
		case c == '\\':
			if _, ok := s.escape(); !ok {
				return
			}
		case c < ' ':
			s.controlInString()
			return
		default:
			n, ok := s.character(s.pos)
			if !ok {
				return
			}
			s.pos += n
		}
	}
}

// character checks the UTF-8 character that starts at buf[i], a byte of 0x80 or more, and returns
// the position after it, relative to pos.
func (s *Scanner) character(i int) (after int, ok bool) {
	rel := i - s.pos
	for !utf8.FullRune(s.buf[s.pos+rel : s.end]) {
		if !s.fill() {
			if s.err == nil {
				s.endsInString()
			}
			return 0, false
		}
	}
	r, n := utf8.DecodeRune(s.buf[s.pos+rel : s.end])
	if r == utf8.RuneError && n == 1 {
		s.fail(s.pos+rel, "structure", "the text is not valid UTF-8")
		return 0, false
	}
	return rel + n, true
}

// escape consumes one escape sequence, including both halves of a surrogate pair.
func (s *Scanner) escape() (rune, bool) {
	if !s.need(2) {
		return 0, false
	}
	c := s.buf[s.pos+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return s.unicodeEscape()
	default:
		s.fail(s.pos, "structure", "unknown escape in a string: %s after a backslash", showByte(c))
		return 0, false
	}
	s.pos += 2
	return rune(c), true
}

// unicodeEscape consumes the \uXXXX at pos, and a second one if the first is the high half of a
// surrogate pair.
func (s *Scanner) unicodeEscape() (rune, bool) {
	r, ok := s.hexadecimal(0)
	if !ok {
		return 0, false
	}
	if !utf16.IsSurrogate(r) {
		s.pos += 6
		return r, true
	}
	if !s.need(8) {
		return 0, false
	}
	if s.buf[s.pos+6] == '\\' && s.buf[s.pos+7] == 'u' {
		low, ok := s.hexadecimal(6)
		if !ok {
			return 0, false
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			s.pos += 12
			return pair, true
		}
	}
	s.fail(s.pos, "structure", "a string contains half of a surrogate pair")
	return 0, false
}

// hexadecimal returns the number of the \u and four digits at pos+at, without consuming them.
func (s *Scanner) hexadecimal(at int) (rune, bool) {
	if !s.need(at + 6) {
		return 0, false
	}
	var r rune
	for _, c := range s.buf[s.pos+at+2 : s.pos+at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			s.fail(s.pos+at, "structure", `\u must be followed by four hexadecimal digits`)
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// need makes n bytes from pos on available in the buffer.
func (s *Scanner) need(n int) bool {
	for s.end-s.pos < n {
		if !s.fill() {
			s.endsInString()
			return false
		}
	}
	return true
}

func (s *Scanner) endsInString() {
	s.fail(s.end, "structure", "the input ends inside a string")
}

func (s *Scanner) controlInString() {
	s.fail(s.pos, "structure", "a string contains %s, which must be escaped", showByte(s.buf[s.pos]))
}
