package ucum

import (
	"fmt"
	"math/big"
	"strconv"
)

// Limits of an expression. No unit in use comes near them.
const (
	maxLength   = 1024 // bytes of an expression
	maxDepth    = 32   // parentheses in parentheses
	maxExponent = 999
)

// Parse reads a unit. The empty text is the unit 1. Errors are *Error; they wrap ErrSyntax, ErrUnknownUnit or ErrLimit.
func Parse(code string) (*Unit, error) {
	if code == "" {
		code = "1"
	}
	t, err := load()
	if err != nil {
		return nil, err
	}
	return t.parse(code)
}

// parse reads
//
//	unit       = ["/"] term
//	term       = component { ("." | "/") component }
//	component  = ( symbol [exponent] | number | "(" term ")" ) { annotation } | annotation { annotation }
//	exponent   = ["+" | "-"] number
//	annotation = "{" printable ASCII except braces "}"
func (t *table) parse(code string) (*Unit, error) {
	p := parser{table: t, code: code, unit: &Unit{table: t, code: code}}
	if len(code) > maxLength {
		return nil, p.fail(maxLength, ErrLimit, fmt.Sprintf("more than %d characters", maxLength))
	}
	op := opNone
	if p.next() == '/' {
		p.at++
		op = opDivide
	}
	if err := p.term(op, op == opDivide, false, 0); err != nil {
		return nil, err
	}
	if p.at < len(code) {
		return nil, p.unexpected("Expected '/' or '.'")
	}
	return p.unit, nil
}

// parser reads an expression from left to right and adds its components to unit.
type parser struct {
	table *table
	code  string
	at    int
	unit  *Unit
}

func (p *parser) fail(at int, kind error, reason string) error {
	return &Error{Code: p.code, At: at, Reason: reason, Kind: kind}
}

// unexpected returns the error for the character at the current place, instead of which wanted is
// expected.
func (p *parser) unexpected(wanted string) error {
	if p.at >= len(p.code) {
		return p.fail(p.at, ErrSyntax, "unexpected end of expression: "+wanted)
	}
	return p.fail(p.at, ErrSyntax, fmt.Sprintf("unexpected character %s: %s", strconv.QuoteRuneToASCII(rune(p.code[p.at])), wanted))
}

// next returns the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.at < len(p.code) {
		return p.code[p.at]
	}
	return 0
}

// term reads components up to the end or a ")". op precedes the first component and divides
// reports whether that component is a divisor. inverted reports whether a product in the term is
// one in the whole expression, because the term itself is a divisor.
func (p *parser) term(op operator, divides, inverted bool, depth int) error {
	for {
		if err := p.component(op, divides, depth); err != nil {
			return err
		}
		switch p.next() {
		case '.':
			op, divides = opMultiply, inverted
		case '/':
			op, divides = opDivide, !inverted
		default:
			return nil
		}
		p.at++
	}
}

// component reads one component with its annotations.
func (p *parser) component(op operator, divides bool, depth int) error {
	switch c := p.next(); {
	case c == '{':
		// An annotation that stands alone is the unit 1.
		if err := p.annotation(op); err != nil {
			return err
		}
	case c == '(':
		if depth == maxDepth {
			return p.fail(p.at, ErrLimit, fmt.Sprintf("parentheses more than %d deep", maxDepth))
		}
		p.at++
		if err := p.term(op, divides, divides, depth+1); err != nil {
			return err
		}
		if p.next() != ')' {
			return p.unexpected("looking for a close bracket")
		}
		p.at++
	case isSymbol(c) || isDigit(c):
		if err := p.simple(op, divides); err != nil {
			return err
		}
	default:
		return p.unexpected("looking for a symbol or a number")
	}
	for p.next() == '{' {
		if err := p.annotation(opMultiply); err != nil {
			return err
		}
	}
	return nil
}

// annotation reads {text}, which counts as 1.
func (p *parser) annotation(op operator) error {
	start := p.at
	for p.at++; p.next() != '}'; p.at++ {
		switch c := p.next(); {
		case p.at >= len(p.code):
			return p.fail(start, ErrSyntax, "unterminated annotation")
		case c < ' ' || c > '~':
			return p.fail(p.at, ErrSyntax, "Annotation contains non-ascii characters")
		case c == '{':
			return p.unexpected("no annotation is in another one")
		}
	}
	p.at++
	p.unit.add(component{op: op, number: one, annotation: true})
	return nil
}

// simple reads a number, or a symbol with its exponent.
func (p *parser) simple(op operator, divides bool) error {
	start := p.at
	p.digits()
	if digits := p.code[start:p.at]; !isSymbol(p.next()) {
		n, ok := new(big.Int).SetString(digits, 10)
		if !ok || n.Sign() == 0 {
			return p.fail(start, ErrSyntax, "a factor must not be 0")
		}
		p.unit.add(component{op: op, number: n, power: power(1, divides)})
		return nil
	}
	if err := p.letters(); err != nil {
		return err
	}
	text := p.code[start:p.at]
	c := component{op: op}
	if c.prefix, c.atom = p.table.symbol(text); c.atom == nil {
		return p.fail(start, ErrUnknownUnit, fmt.Sprintf("The unit '%s' is unknown", text))
	}
	n, err := p.exponent()
	if err != nil {
		return err
	}
	c.exponent, c.power = n, power(n, divides)
	p.unit.add(c)
	return nil
}

// digits skips digits.
func (p *parser) digits() {
	for isDigit(p.next()) {
		p.at++
	}
}

// letters skips the characters of a symbol. In square brackets these are all printable characters
// except brackets and braces.
func (p *parser) letters() error {
	for isSymbol(p.next()) {
		if p.next() != '[' {
			p.at++
			continue
		}
		start := p.at
		for p.at++; p.next() != ']'; p.at++ {
			switch c := p.next(); {
			case p.at >= len(p.code):
				return p.fail(start, ErrSyntax, "[ without ]")
			case c <= ' ' || c > '~' || c == '[' || c == '{' || c == '}':
				return p.unexpected("looking for ]")
			}
		}
		p.at++
	}
	return nil
}

// exponent reads the exponent of a symbol. The default is 1.
func (p *parser) exponent() (int, error) {
	start, sign := p.at, 1
	switch p.next() {
	case '-':
		sign = -1
		p.at++
	case '+':
		p.at++
	}
	first := p.at
	p.digits()
	switch p.at {
	case start:
		return 1, nil
	case first:
		return 0, p.unexpected("a + or - must be followed by at least one digit")
	}
	n, err := strconv.Atoi(p.code[first:p.at])
	if err != nil || n > maxExponent {
		return 0, p.fail(start, ErrLimit, fmt.Sprintf("exponent beyond %d", maxExponent))
	}
	return sign * n, nil
}

func power(n int, divides bool) int {
	if divides {
		return -n
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSymbol reports whether a symbol may contain c without brackets; "[" opens them.
func isSymbol(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		return true
	}
	switch c {
	case '[', '%', '*', '^', '\'', '"', '_':
		return true
	}
	return false
}
