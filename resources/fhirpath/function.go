package fhirpath

import "github.com/roget-health/roget/resources/document"

// An argument is the kind of argument that a function takes.
type argument uint8

const (
	noArgument argument = iota
	aCondition          // an expression that is evaluated on each item
	maybeOne            // the same, or nothing
	aType               // the name of a type
	aText               // a text in quotes
)

// function returns the operation of a function name and its kind of argument.
func function(name string) (op op, takes argument, found bool) {
	switch name {
	case "where":
		return opWhere, aCondition, true
	case "all":
		return opAll, aCondition, true
	case "exists":
		return opExists, maybeOne, true
	case "empty":
		return opNone, noArgument, true
	case "not":
		return opNot, noArgument, true
	case "count":
		return opCount, noArgument, true
	case "first":
		return opFirst, noArgument, true
	case "last":
		return opLast, noArgument, true
	case "tail":
		return opTail, noArgument, true
	case "single":
		return opSingle, noArgument, true
	case "as", "ofType":
		return opOfType, aType, true
	case "is":
		return opIs, aType, true
	case "extension":
		return opExtension, aText, true
	case "hasExtension":
		return opHasExt, aText, true
	case "resolve":
		return opResolve, noArgument, true
	}
	return 0, 0, false
}

// function parses the argument of a function, whose name is at a position, and the closing bracket.
func (p *parser) function(left *node, name string, at int) *node {
	op, takes, found := function(name)
	if !found {
		p.failAt(at, "the function %s() is not supported", name)
		return nil
	}
	n := p.make(node{op: op, left: left})
	switch takes {
	case aCondition:
		n.arg = p.expression(implies)
	case maybeOne:
		if p.tok.kind != tokSymbol || p.tok.text != ")" {
			n.arg = p.expression(implies)
		}
	case aType:
		n.name = p.typeName()
	case aText:
		if p.tok.kind != tokString {
			p.fail("expected a text in quotes, found %s", p.tok.show())
			return nil
		}
		n.name = p.tok.text
		p.advance()
	}
	p.want(")")
	return n
}

// truth returns the item of a boolean.
func truth(yes bool) Item {
	if yes {
		return computed(document.Bool, "true")
	}
	return computed(document.Bool, "false")
}
