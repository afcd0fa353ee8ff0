package operation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DecodeQuery reads the raw query of a GET, or a body of type application/x-www-form-urlencoded.
// With strict, a parameter that the operation does not have is an error; otherwise it is ignored.
//
// Values that need no unescaping share memory with raw.
func (in *Input) DecodeQuery(raw string, strict bool) error {
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, ok := unescape(name)
		if !ok {
			return invalid(name, "the parameter name is not percent-encoded UTF-8")
		}
		value, ok = unescape(value)
		if !ok {
			return invalid(name, fmt.Sprintf("%s is not percent-encoded UTF-8", quote(value)))
		}
		if err := in.text(name, value, strict); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a parameter given as text, as the flags of the terminal do. An unknown name is an
// error. A complex value is JSON or a short form: system|code or system|version|code for a Coding
// or CodeableConcept, code=value for parts.
func (in *Input) Add(name, value string) error { return in.text(name, value, true) }

func (in *Input) text(name, value string, strict bool) error {
	p, ok := in.Op.Param(name)
	if !ok {
		if in.control(name, value) || !strict && !in.Op.Exact {
			return nil
		}
		return in.unknown(name)
	}
	if value == "" {
		in.empty = append(in.empty, p)
		return nil
	}
	k := kindOf(p.Type)
	if k >= kindCoding {
		return in.complexText(p, k, value)
	}
	if err := checkPrimitive(p, k, value); err != nil {
		return err
	}
	return in.put(arg{param: p, text: value})
}

// control stores a parameter that every call may have, or ignores it.
func (in *Input) control(name, value string) bool {
	switch name {
	case "_format":
		in.Control.Format = value
	case "_pretty":
		in.Control.Pretty = value
	case "_summary":
		in.Control.Summary = value
	case "_elements":
		in.Control.Elements = value
	default:
		return passedOver(name)
	}
	return true
}

// unescape decodes percent-encoding, and + as a space. It returns s itself if there is nothing to
// decode. If an escape is malformed or the result is not UTF-8, ok is false and s is returned
// unchanged.
func unescape(s string) (text string, ok bool) {
	i := 0
	for i < len(s) && s[i] != '%' && s[i] != '+' && s[i] < utf8.RuneSelf {
		i++
	}
	if i == len(s) {
		return s, true
	}
	var short [256]byte // on the stack; longer values move to the heap
	dst := append(short[:0], s[:i]...)
	for ; i < len(s); i++ {
		switch s[i] {
		case '+':
			dst = append(dst, ' ')
		case '%':
			if i+2 >= len(s) {
				return s, false
			}
			high, low := hex(s[i+1]), hex(s[i+2])
			if high < 0 || low < 0 {
				return s, false
			}
			dst = append(dst, byte(high<<4|low)) //nolint:gosec // two digits of 4 bits
			i += 2
		default:
			dst = append(dst, s[i])
		}
	}
	if !utf8.Valid(dst) {
		return s, false
	}
	return string(dst), true
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
