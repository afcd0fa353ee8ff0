package ecl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// parser reads an expression by recursive descent. It stores the first error, and then moves to
// the end of the text, so that nothing more is read.
type parser struct {
	text  string
	at    int
	depth int
	err   *SyntaxError
}

// fail records an error at the position.
func (p *parser) fail(format string, args ...any) { p.failAt(p.at, format, args...) }

func (p *parser) failAt(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{Offset: at, Want: fmt.Sprintf(format, args...), Near: nearby(p.text, at)}
	}
	p.at = len(p.text)
}

// enter enters a level of nesting; leave leaves it.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.fail("brackets nest deeper than %d levels; use fewer", MaxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// peek returns the byte at an offset from the position, 0 at the end.
func (p *parser) peek(ahead int) byte {
	if at := p.at + ahead; at < len(p.text) {
		return p.text[at]
	}
	return 0
}

// space skips white space and comments and reports whether there was any.
func (p *parser) space() bool {
	at, ok := skipSpace(p.text, p.at)
	if !ok {
		p.failAt(at, "expected */ at the end of this comment")
		return true
	}
	moved := at > p.at
	p.at = at
	return moved
}

// skipSpace returns the first offset that is neither white space nor in a comment. ok is false for
// a comment without end, which begins at that offset.
func skipSpace(text string, at int) (next int, ok bool) {
	for at < len(text) {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case strings.HasPrefix(text[at:], "/*"):
			end := strings.Index(text[at+2:], "*/")
			if end < 0 {
				return at, false
			}
			at += end + 4
		default:
			return at, true
		}
	}
	return at, true
}

// take consumes a symbol if it is next.
func (p *parser) take(symbol string) bool {
	if strings.HasPrefix(p.text[p.at:], symbol) {
		p.at += len(symbol)
		return true
	}
	return false
}

// want consumes a symbol or fails.
func (p *parser) want(symbol, why string) {
	if !p.take(symbol) {
		p.fail("expected %s %s", symbol, why)
	}
}

// word returns the letters at the position, in lower case, without consuming them.
func (p *parser) word() string {
	end := p.at
	for end < len(p.text) && letter(p.text[end]) {
		end++
	}
	return strings.ToLower(p.text[p.at:end])
}

// takeWord consumes one of several words and returns its index, or -1.
func (p *parser) takeWord(words ...string) int {
	word := p.word()
	if word == "" {
		return -1
	}
	for i, w := range words {
		if w == word {
			p.at += len(w)
			return i
		}
	}
	return -1
}

// join consumes an operator between two parts and returns it. A word must be followed by white
// space.
func (p *parser) join() (op compoundOp, ok bool) {
	p.space()
	if p.take(",") {
		p.space()
		return opAnd, true
	}
	begin := p.at
	i := p.takeWord("and", "or", "minus")
	if i < 0 {
		return 0, false
	}
	if !p.space() && p.at < len(p.text) {
		p.failAt(begin, "expected white space after the operator %s", p.text[begin:p.at])
	}
	return compoundOp(i), true
}

// separated reports whether another element of a set follows: after white space, and not the
// bracket that ends the set.
func (p *parser) separated() bool {
	space := p.space()
	switch {
	case p.at >= len(p.text):
		p.fail("expected ) at the end of the set")
		return false
	case p.peek(0) == ')':
		return false
	case !space:
		p.fail("expected white space between the elements of a set")
		return false
	}
	return true
}

// digits consumes digits and returns them.
func (p *parser) digits() string {
	begin := p.at
	for digit(p.peek(0)) {
		p.at++
	}
	return p.text[begin:p.at]
}

// natural consumes an integer without sign or leading zeros.
func (p *parser) natural(what string) string {
	begin := p.at
	d := p.digits()
	if d == "" {
		p.fail("expected %s", what)
	} else if len(d) > 1 && d[0] == '0' {
		p.failAt(begin, "expected %s without leading zeros", what)
	}
	return d
}

// quoted consumes a text in quotation marks and returns its content as written. escapes are the
// bytes that may follow a backslash.
func (p *parser) quoted(what, escapes string) string {
	begin := p.at
	if !p.take(`"`) {
		p.fail("expected %s in quotation marks", what)
		return ""
	}
	from := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[from : p.at-1]
		case c == '\\':
			if next := p.peek(1); next == 0 || strings.IndexByte(escapes, next) < 0 {
				p.fail("expected one of %s after \\", strings.Join(strings.Split(escapes, ""), " "))
				return ""
			}
			p.at += 2
		case control(c):
			p.fail("control characters are not allowed in a text")
			return ""
		default:
			p.at++
		}
	}
	if p.err == nil {
		p.failAt(begin, "expected a quotation mark at the end of this text")
	}
	return ""
}

// closing returns the offset after the bracket that closes the one at an offset, or -1. It skips
// texts, terms and comments.
func closing(text string, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '|':
			end := strings.IndexByte(text[at+1:], '|')
			if end < 0 {
				return -1
			}
			at += end + 1
		case '/':
			next, ok := skipSpace(text, at)
			if !ok {
				return -1
			}
			if next > at {
				at = next - 1
			}
		}
		at++
	}
	return -1
}

// validText returns the offset of the first byte that is not UTF-8, or -1.
func validText(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// control reports whether the grammar allows a byte nowhere, not even as white space.
func control(c byte) bool {
	return c < ' ' && c != '\t' && c != '\r' && c != '\n' || c == 0x7f
}
