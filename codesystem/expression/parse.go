package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/resources/r4"
)

// Composed reports whether a code may be an expression: it has a character that the identifier of
// a concept cannot have, and begins as an expression does.
func Composed(code string) bool {
	digits := true
	for i := range len(code) {
		digits = digits && digit(code[i])
	}
	if digits {
		return false
	}
	start := strings.TrimLeft(code, " \t\r\n")
	return start != "" && (digit(start[0]) || strings.HasPrefix(start, "===") || strings.HasPrefix(start, "<<<"))
}

// Parse reads an expression. The error is a *SyntaxError.
func Parse(text string) (*Expression, error) {
	p := &parser{text: text}
	if len(text) > MaxLength {
		p.failAt(MaxLength, "an expression has at most %d bytes", MaxLength)
		return nil, p.err
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") || r < ' ' && !space(byte(r)) || r == 0x7f {
			p.failAt(i, "expected a character that UTF-8 and the grammar allow")
			return nil, p.err
		}
	}
	e := &Expression{}
	p.space()
	if p.take("<<<") {
		e.Primitive = true
	} else {
		p.take("===")
	}
	e.sub = p.sub()
	if p.err == nil && p.at < len(text) {
		p.fail("expected +, a refinement (:) or the end")
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// parser reads by recursive descent. After the first error it is at the end of the text.
type parser struct {
	text            string
	at              int
	depth, concepts int
	err             *SyntaxError
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.at, format, args...) }

func (p *parser) failAt(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{Offset: at, Want: fmt.Sprintf(format, args...), Near: nearby(p.text, at)}
	}
	p.at = len(p.text)
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for space(p.peek()) {
		p.at++
	}
}

// take consumes a symbol and the white space after it.
func (p *parser) take(symbol string) bool {
	if !strings.HasPrefix(p.text[p.at:], symbol) {
		return false
	}
	p.at += len(symbol)
	p.space()
	return true
}

func (p *parser) sub() (s sub) {
	s.focus = append(s.focus, p.reference())
	for p.take("+") {
		s.focus = append(s.focus, p.reference())
	}
	if !p.take(":") {
		return s
	}
	if p.peek() != '{' {
		s.groups = append(s.groups, group{attributes: p.attributes()})
	}
	for comma := false; p.err == nil; {
		switch {
		case p.take("{"):
			g := group{braced: true, attributes: p.attributes()}
			if p.err == nil && !p.take("}") {
				p.fail("expected , or } after the attribute")
			}
			s.groups = append(s.groups, g)
		case comma:
			p.fail("expected { after the comma")
		default:
			return s
		}
		comma = p.take(",")
	}
	return s
}

// attributes reads attributes with commas between them, and a comma before a group.
func (p *parser) attributes() (list []attribute) {
	for p.err == nil {
		a := attribute{name: p.reference()}
		if p.err == nil && !p.take("=") {
			p.fail("expected = after the attribute")
		}
		a.value = p.value()
		list = append(list, a)
		if !p.take(",") || p.peek() == '{' {
			break
		}
	}
	return list
}

func (p *parser) value() value {
	begin := p.at
	switch c := p.peek(); {
	case digit(c):
		r := p.reference()
		return value{concept: &r}
	case c == '(':
		if p.depth++; p.depth > MaxDepth {
			p.fail("brackets nest at most %d levels deep", MaxDepth)
		}
		p.take("(")
		s := p.sub()
		if p.err == nil && !p.take(")") {
			p.fail("expected ) after the nested expression")
		}
		p.depth--
		return value{nested: &s}
	case c == '#':
		p.at++
		return value{literal: p.number()}
	case c == '"':
		v := r4.String(p.quoted())
		return value{literal: &v}
	case c|0x20 == 't' || c|0x20 == 'f':
		for p.peek()|0x20 >= 'a' && p.peek()|0x20 <= 'z' {
			p.at++
		}
		if word := strings.ToLower(p.text[begin:p.at]); word == "true" || word == "false" {
			p.space()
			v := r4.Boolean(word == "true")
			return value{literal: &v}
		}
	}
	p.failAt(begin, "expected a value: a concept, a nested expression (…), #number, \"text\", true or false")
	return value{}
}

// number reads a numericValue after its #.
func (p *parser) number() *r4.Value {
	begin := p.at
	if p.peek() == '-' || p.peek() == '+' {
		p.at++
	}
	digits := func() int {
		from := p.at
		for digit(p.peek()) {
			p.at++
		}
		return p.at - from
	}
	first := p.at
	switch n := digits(); {
	case n == 0:
		p.fail("expected a number")
		return nil
	case n > 1 && p.text[first] == '0':
		p.failAt(first, "expected a number without leading zeros")
		return nil
	}
	if p.peek() == '.' {
		p.at++
		if digits() == 0 {
			p.fail("expected digits after the decimal point")
			return nil
		}
	}
	v := r4.Value{Type: "Decimal", Text: strings.TrimPrefix(p.text[begin:p.at], "+")}
	p.space()
	return &v
}

// quoted reads a text in quotation marks, in which \" and \\ are escaped.
func (p *parser) quoted() string {
	begin := p.at
	var out strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case '"':
			if out.Len() == 0 {
				p.fail("expected a text that is not empty")
				return ""
			}
			p.at++
			p.space()
			return out.String()
		case '\\':
			if p.at++; p.peek() != '"' && p.peek() != '\\' {
				p.fail("expected \" or \\ after \\")
				return ""
			}
			out.WriteByte(p.peek())
		default:
			out.WriteByte(c)
		}
	}
	p.failAt(begin, "expected a quotation mark at the end of this text")
	return ""
}

// reference reads an identifier of 6 to 18 digits, and a term.
func (p *parser) reference() Reference {
	begin := p.at
	for digit(p.peek()) {
		p.at++
	}
	r := Reference{Code: p.text[begin:p.at], Offset: begin}
	switch n := len(r.Code); {
	case p.err != nil:
		return r
	case n == 0:
		p.fail("expected the identifier of a concept")
	case r.Code[0] == '0':
		p.failAt(begin, "expected an identifier without leading zeros")
	case n < 6 || n > 18:
		p.failAt(begin, "expected an identifier of 6 to 18 digits, not %d", n)
	}
	if p.concepts++; p.concepts > MaxConcepts {
		p.failAt(begin, "an expression names at most %d concepts", MaxConcepts)
	}
	p.space()
	open := p.at
	if !p.take("|") {
		return r
	}
	end := strings.IndexByte(p.text[p.at:], '|')
	if end < 0 {
		p.failAt(open, "expected a second | at the end of this term")
		return r
	}
	if r.Term = strings.TrimRight(p.text[p.at:p.at+end], " \t\r\n"); r.Term == "" {
		p.fail("expected a term between the pipes")
		return r
	}
	if i := strings.IndexAny(r.Term, "\t\r\n"); i >= 0 {
		p.failAt(p.at+i, "expected no white space but spaces in a term")
		return r
	}
	p.at += end
	p.take("|")
	return r
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
