package fhirpath

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokName             // an identifier, which is in text
	tokQuoted           // an identifier in backticks
	tokString           // 'text'
	tokNumber
	tokDate   // @2020-01-01
	tokSymbol // an operator, a bracket, $this or %name
)

type token struct {
	kind tokenKind
	at   int
	text string
}

func (t token) show() string {
	if t.kind == tokEnd {
		return "the end"
	}
	return strconv.Quote(t.text)
}

// A lexer splits an expression into tokens.
type lexer struct {
	text string
	pos  int
	err  error
}

func (l *lexer) failAt(at int, format string, args ...any) {
	if l.err == nil {
		l.err = &SyntaxError{Expression: l.text, Offset: at, Msg: fmt.Sprintf(format, args...)}
	}
}

func (l *lexer) next() token {
	l.space()
	at := l.pos
	if at == len(l.text) || l.err != nil {
		return token{at: at}
	}
	switch c := l.text[at]; {
	case isLetter(c):
		return token{tokName, at, l.take(func(c byte) bool { return isLetter(c) || isDigit(c) })}
	case isDigit(c):
		return token{tokNumber, at, l.number()}
	case c == '\'':
		return token{tokString, at, l.quoted('\'')}
	case c == '`':
		return token{tokQuoted, at, l.quoted('`')}
	case c == '@':
		l.pos++
		return token{tokDate, at, l.date()}
	case c == '%' && at+1 < len(l.text) && (l.text[at+1] == '`' || l.text[at+1] == '\''):
		l.pos++
		return token{tokSymbol, at, "%" + l.quoted(l.text[l.pos])}
	case c == '$' || c == '%':
		l.pos++
		return token{tokSymbol, at, string(c) + l.take(func(c byte) bool { return isLetter(c) || isDigit(c) })}
	case at+1 < len(l.text) && slices.Contains(twoBytes[:], l.text[at:at+2]):
		l.pos += 2
		return token{tokSymbol, at, l.text[at:l.pos]}
	case strings.IndexByte("()[]{}.,|=-+~<>*/&", c) >= 0:
		l.pos++
		return token{tokSymbol, at, l.text[at : at+1]}
	}
	_, n := utf8.DecodeRuneInString(l.text[at:])
	l.failAt(at, "%q is not supported in FHIRPath expressions", l.text[at:at+n])
	return token{at: at}
}

// twoBytes are the symbols of two bytes.
var twoBytes = [...]string{"!=", "!~", "<=", ">="}

// space passes over white space and comments.
func (l *lexer) space() {
	for l.pos < len(l.text) {
		end := ""
		switch rest := l.text[l.pos:]; {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			l.pos++
			continue
		case strings.HasPrefix(rest, "//"):
			end = "\n"
		case strings.HasPrefix(rest, "/*"):
			end = "*/"
		default:
			return
		}
		n := strings.Index(l.text[l.pos+2:], end)
		if n < 0 {
			l.pos = len(l.text)
			return
		}
		l.pos += 2 + n + len(end)
	}
}

// date reads what follows the '@' of a date or time.
func (l *lexer) date() string {
	from := l.pos
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if !isDigit(c) && strings.IndexByte("-:+TZ", c) < 0 && (c != '.' || l.pos+1 == len(l.text) || !isDigit(l.text[l.pos+1])) {
			break
		}
		l.pos++
	}
	return l.text[from:l.pos]
}

func (l *lexer) take(while func(c byte) bool) string {
	from := l.pos
	for l.pos < len(l.text) && while(l.text[l.pos]) {
		l.pos++
	}
	return l.text[from:l.pos]
}

func (l *lexer) number() string {
	from := l.pos
	l.take(isDigit)
	if l.pos+1 < len(l.text) && l.text[l.pos] == '.' && isDigit(l.text[l.pos+1]) {
		l.pos++
		l.take(isDigit)
	}
	return l.text[from:l.pos]
}

// quoted reads the text between two quotes, with escapes resolved.
func (l *lexer) quoted(quote byte) string {
	at := l.pos
	l.pos++
	var b strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		if c == quote {
			return b.String()
		}
		if c != '\\' {
			b.WriteByte(c)
			continue
		}
		if l.pos == len(l.text) {
			break
		}
		c = l.text[l.pos]
		l.pos++
		switch c {
		case '\\', '/', '\'', '"', '`':
			b.WriteByte(c)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if l.pos+4 > len(l.text) {
				l.failAt(l.pos, `\u must be followed by four hexadecimal digits`)
				return ""
			}
			n, err := strconv.ParseUint(l.text[l.pos:l.pos+4], 16, 32)
			if err != nil {
				l.failAt(l.pos, `\u must be followed by four hexadecimal digits`)
				return ""
			}
			b.WriteRune(rune(n)) //nolint:gosec // n has 4 hexadecimal digits
			l.pos += 4
		default:
			l.failAt(l.pos-1, "unknown escape")
			return ""
		}
	}
	l.failAt(at, "the text has no closing quote")
	return ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
