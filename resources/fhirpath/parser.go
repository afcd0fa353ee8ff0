package fhirpath

import (
	"math"
	"strconv"

	"github.com/roget-health/roget/resources/document"
)

// Levels of precedence, the weakest first.
const (
	implies = iota
	or
	and
	equality
	union
	typing
	path
)

// A parser builds the tree of an expression. The first error is permanent.
type parser struct {
	lexer
	tok     token
	nesting int
	nodes   int
}

func (p *parser) advance() { p.tok = p.next() }

func (p *parser) fail(format string, args ...any) { p.failAt(p.tok.at, format, args...) }

// symbol consumes a symbol or keyword if it is the next token.
func (p *parser) symbol(text string) bool {
	if p.err != nil || p.tok.text != text || p.tok.kind != tokSymbol && p.tok.kind != tokName {
		return false
	}
	p.advance()
	return true
}

func (p *parser) want(symbol string) {
	if !p.symbol(symbol) {
		p.fail("expected %q, found %s", symbol, p.tok.show())
	}
}

func (p *parser) make(n node) *node {
	if p.nodes++; p.nodes > maxNodes {
		p.fail("the expression has too many operations")
	}
	return &n
}

// operators returns the operators of a level.
func operators(level int) map[string]op {
	switch level {
	case implies:
		return map[string]op{"implies": opImplies}
	case or:
		return map[string]op{"or": opOr, "xor": opXor}
	case and:
		return map[string]op{"and": opAnd}
	case equality:
		return map[string]op{"=": opEqual, "!=": opUnequal}
	case union:
		return map[string]op{"|": opUnion}
	}
	return nil
}

// expression parses operators of a level and operands of tighter levels.
func (p *parser) expression(level int) *node {
	if level == typing {
		return p.typed()
	}
	left := p.expression(level + 1)
	for p.err == nil && (p.tok.kind == tokSymbol || p.tok.kind == tokName) {
		op, found := operators(level)[p.tok.text]
		if !found {
			break
		}
		p.advance()
		left = p.make(node{op: op, left: left, arg: p.expression(level + 1)})
	}
	return left
}

// typed parses a path with "is T" or "as T".
func (p *parser) typed() *node {
	left := p.path()
	for p.err == nil {
		switch {
		case p.symbol("is"):
			left = p.make(node{op: opIs, left: left, name: p.typeName()})
		case p.symbol("as"):
			left = p.make(node{op: opOfType, left: left, name: p.typeName()})
		default:
			return left
		}
	}
	return left
}

// typeName parses "Patient", "FHIR.Patient" or "System.String".
func (p *parser) typeName() string {
	name := p.name()
	if (name == "FHIR" || name == "System") && p.symbol(".") {
		name = p.name()
	}
	return name
}

func (p *parser) name() string {
	if p.tok.kind != tokName && p.tok.kind != tokQuoted || p.err != nil {
		p.fail("expected a name, found %s", p.tok.show())
		return ""
	}
	text := p.tok.text
	p.advance()
	return text
}

// path parses a term, followed by any number of '.' and '['.
func (p *parser) path() *node {
	if p.nesting++; p.nesting > maxNesting {
		p.fail("the expression is nested deeper than %d levels", maxNesting)
		return nil
	}
	defer func() { p.nesting-- }()
	left := p.term()
	for p.err == nil {
		switch {
		case p.symbol("."):
			left = p.invocation(left)
		case p.symbol("["):
			if p.tok.kind != tokNumber {
				p.fail("expected a number, found %s", p.tok.show())
				return nil
			}
			i, err := strconv.Atoi(p.tok.text)
			if err != nil || i > math.MaxInt32 {
				p.fail("expected a whole number, found %s", p.tok.show())
				return nil
			}
			p.advance()
			p.want("]")
			left = p.make(node{op: opIndex, left: left, index: i})
		default:
			return left
		}
	}
	return left
}

func (p *parser) term() *node {
	switch tok := p.tok; tok.kind {
	case tokString:
		p.advance()
		return p.make(node{op: opLiteral, literal: computed(document.String, tok.text)})
	case tokDate:
		p.advance()
		return p.make(node{op: opLiteral, literal: computed(document.String, tok.text)})
	case tokNumber:
		p.advance()
		return p.make(node{op: opLiteral, literal: computed(document.Number, tok.text)})
	case tokSymbol:
		return p.symbolic()
	case tokName:
		if tok.text == "true" || tok.text == "false" {
			p.advance()
			return p.make(node{op: opLiteral, literal: computed(document.Bool, tok.text)})
		}
		return p.invocation(nil)
	case tokQuoted:
		return p.invocation(nil)
	}
	p.fail("expected an expression, found %s", p.tok.show())
	return nil
}

// symbolic parses a term that begins with a symbol.
func (p *parser) symbolic() *node {
	switch {
	case p.symbol("("):
		inner := p.expression(implies)
		p.want(")")
		return inner
	case p.symbol("{"):
		p.want("}")
		return p.make(node{op: opEmpty})
	case p.symbol("$this"), p.symbol("%context"):
		return p.make(node{op: opThis})
	case p.symbol("%resource"), p.symbol("%rootResource"):
		return p.make(node{op: opResource})
	case p.symbol("-"):
		if p.tok.kind == tokNumber {
			text := "-" + p.tok.text
			p.advance()
			return p.make(node{op: opLiteral, literal: computed(document.Number, text)})
		}
	}
	p.fail("expected an expression, found %s", p.tok.show())
	return nil
}

// invocation parses an element or a function of left.
func (p *parser) invocation(left *node) *node {
	quoted, at := p.tok.kind == tokQuoted, p.tok.at
	name := p.name()
	if p.err != nil {
		return nil
	}
	if !quoted && p.symbol("(") {
		return p.function(left, name, at)
	}
	if left == nil && !quoted && name[0] >= 'A' && name[0] <= 'Z' {
		if name == "FHIR" && p.symbol(".") {
			name = p.name()
		}
		return p.make(node{op: opTypeName, name: name})
	}
	return p.make(node{op: opChild, left: left, name: name, beside: "_" + name})
}
