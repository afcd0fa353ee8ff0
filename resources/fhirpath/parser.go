package fhirpath

import (
	"math"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// Levels of precedence, the weakest first.
const (
	implies = iota
	or
	and
	membership
	equality
	inequality
	union
	typing
	additive
	multiplicative
	unary
)

// A parser builds the tree of an expression. The first error is permanent.
type parser struct {
	lexer
	tok     token
	nesting int
	nodes   int

	constants map[string]Item // nil if there is no %rowIndex either
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

// operators are the operators of two operands with their levels. typing is apart.
var operators = map[string]struct {
	level int
	op    op
}{
	"implies": {implies, opImplies}, "or": {or, opOr}, "xor": {or, opXor}, "and": {and, opAnd},
	"in": {membership, opIn}, "contains": {membership, opContains},
	"=": {equality, opEqual}, "!=": {equality, opUnequal}, "~": {equality, opAlike}, "!~": {equality, opUnlike},
	"<": {inequality, opLess}, "<=": {inequality, opAtMost}, ">": {inequality, opMore}, ">=": {inequality, opAtLeast},
	"|": {union, opUnion}, "+": {additive, opAdd}, "-": {additive, opSubtract}, "&": {additive, opJoin},
	"*": {multiplicative, opMultiply}, "/": {multiplicative, opDivide}, "div": {multiplicative, opDiv}, "mod": {multiplicative, opMod},
}

// expression parses operators of a level and operands of tighter levels.
func (p *parser) expression(level int) *node {
	switch level {
	case typing:
		return p.typed()
	case unary:
		return p.signed()
	}
	left := p.expression(level + 1)
	for p.err == nil && (p.tok.kind == tokSymbol || p.tok.kind == tokName) {
		operator, found := operators[p.tok.text]
		if !found || operator.level != level {
			break
		}
		p.advance()
		left = p.make(node{op: operator.op, left: left, arg: p.expression(level + 1)})
	}
	return left
}

// signed parses a path with any number of signs before it.
func (p *parser) signed() *node {
	negative := false
	for {
		switch {
		case p.symbol("-"):
			negative = !negative
			continue
		case p.symbol("+"):
			continue
		}
		n := p.path()
		if negative && p.err == nil {
			if n.op == opLiteral && n.literal.kind == document.Number {
				n.literal.text = "-" + n.literal.text
				return n
			}
			n = p.make(node{op: opSubtract, left: p.make(node{op: opLiteral, literal: computed(document.Number, "0")}), arg: n})
		}
		return n
	}
}

// typed parses a sum with "is T" or "as T".
func (p *parser) typed() *node {
	left := p.expression(additive)
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
			number := p.tok.text
			if c, found := p.constants[strings.TrimPrefix(number, "%")]; found && p.tok.kind == tokSymbol {
				number = c.text
			} else if p.tok.kind != tokNumber {
				p.fail("expected a number, found %s", p.tok.show())
				return nil
			}
			i, err := strconv.Atoi(number)
			if err != nil || i < 0 || i > math.MaxInt32 {
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
		text, dateTime := strings.CutSuffix(strings.TrimPrefix(tok.text, "T"), "T")
		return p.make(node{op: opLiteral, literal: Item{kind: document.String, text: text, moment: true, dateTime: dateTime}})
	case tokNumber:
		p.advance()
		literal := computed(document.Number, tok.text)
		if p.tok.kind == tokString || p.tok.kind == tokName && calendarUnit(p.tok.text) != 0 {
			literal = quantityItem(tok.text, p.tok.text)
			p.advance()
		}
		return p.make(node{op: opLiteral, literal: literal})
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
	case p.symbol("$this"):
		return p.make(node{op: opThis})
	case p.symbol("%context"):
		return p.make(node{op: opContext})
	case p.symbol("%resource"):
		return p.make(node{op: opResource})
	case p.symbol("%rootResource"):
		return p.make(node{op: opRoot})
	case p.symbol("$index"):
		return p.make(node{op: opPosition})
	case p.symbol("$total"):
		return p.make(node{op: opTotal})
	case p.constants != nil && p.symbol("%rowIndex"):
		return p.make(node{op: opRow})
	case p.tok.kind == tokSymbol && p.tok.text[0] == '%':
		if c, found := p.constants[p.tok.text[1:]]; found {
			p.advance()
			return p.make(node{op: opLiteral, literal: c})
		}
		if url := constant(p.tok.text[1:]); url != "" {
			p.advance()
			return p.make(node{op: opLiteral, literal: computed(document.String, url)})
		}
		if p.constants != nil {
			p.fail("the constant %s is not defined", p.tok.text)
			return nil
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

// constant returns the value of a variable without its '%', "" if there is no such variable.
func constant(name string) string {
	switch name {
	case "ucum":
		return "http://unitsofmeasure.org"
	case "sct":
		return "http://snomed.info/sct"
	case "loinc":
		return "http://loinc.org"
	}
	if id, is := strings.CutPrefix(name, "vs-"); is {
		return "http://hl7.org/fhir/ValueSet/" + id
	}
	if id, is := strings.CutPrefix(name, "ext-"); is {
		return "http://hl7.org/fhir/StructureDefinition/" + id
	}
	return ""
}
