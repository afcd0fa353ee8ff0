package r4

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// An object appends the members of a JSON object, separated by commas.
type object struct {
	dst   []byte
	comma bool
}

func beginObject(dst []byte) object { return object{dst: append(dst, '{')} }

func (o *object) end() []byte { return append(o.dst, '}') }

// name appends the name of the next member, which must be plain ASCII.
func (o *object) name(name string) {
	if o.comma {
		o.dst = append(o.dst, ',')
	}
	o.comma = true
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

// text appends a string member unless it is empty.
func (o *object) text(name, s string) {
	if s != "" {
		o.name(name)
		o.dst = AppendString(o.dst, s)
	}
}

// boolean appends a boolean member unless it is nil.
func (o *object) boolean(name string, b *bool) {
	if b != nil {
		o.name(name)
		o.dst = strconv.AppendBool(o.dst, *b)
	}
}

// truth appends a boolean member if it is true.
func (o *object) truth(name string, b bool) {
	if b {
		o.name(name)
		o.dst = append(o.dst, "true"...)
	}
}

// integer appends an integer member unless it is nil.
func (o *object) integer(name string, n *int) {
	if n != nil {
		o.name(name)
		o.dst = strconv.AppendInt(o.dst, int64(*n), 10)
	}
}

// texts appends an array of strings unless it is empty.
func (o *object) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	o.dst = append(o.dst, '[')
	for i, s := range list {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = AppendString(o.dst, s)
	}
	o.dst = append(o.dst, ']')
}

// raw appends a member that is already JSON, unless it is empty.
func (o *object) raw(name string, data json.RawMessage) {
	if len(data) > 0 {
		o.name(name)
		o.dst = append(o.dst, data...)
	}
}

// appendEach appends an array member, with fn appending each element, unless it is empty.
func appendEach[T any](o *object, name string, list []T, fn func(dst []byte, v *T) []byte) {
	if len(list) == 0 {
		return
	}
	o.name(name)
	o.dst = append(o.dst, '[')
	for i := range list {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = fn(o.dst, &list[i])
	}
	o.dst = append(o.dst, ']')
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with quotes. It escapes quotes, backslashes and control
// characters, and replaces each byte that is not valid UTF-8 by U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		for len(s)-i >= 8 && plainWord(loadWord(s, i)) {
			i += 8
		}
		// The last bytes that do not fill a word are checked together with bytes before them.
		if i == len(s) || len(s)-i < 8 && i >= 8 && plainWord(loadWord(s, len(s)-8)) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i++
			start = i
			continue
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// loadWord returns eight bytes of s from i on, which must exist.
func loadWord(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// plainWord reports whether eight bytes are all ASCII that needs no escape in a JSON string. The
// high bit of each byte of a term marks a problem: not ASCII, below a blank, a quote, a backslash,
// DEL. A term may also mark the byte above a problem, but never a word without one.
func plainWord(w uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, back, del := w^'"'*ones, w^'\\'*ones, w^0x7f*ones
	return (w|(w-' '*ones)|(quote-ones)|(back-ones)|(del-ones))&high == 0
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
