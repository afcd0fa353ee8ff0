package fhirpath

import (
	"errors"
	"fmt"
)

const (
	maxExpression = 8 << 10 // bytes of an expression
	maxNesting    = 64      // parentheses and arguments inside each other
	maxNodes      = 1024    // of the tree of an expression
)

// A SyntaxError tells where an expression cannot be read.
type SyntaxError struct {
	Expression string
	Offset     int // in bytes from 0
	Msg        string
}

// Error returns the expression, the place and the message.
func (e *SyntaxError) Error() string {
	shown := e.Expression
	if len(shown) > 200 {
		shown = shown[:200] + "…"
	}
	return fmt.Sprintf("FHIRPath %q, character %d: %s", shown, e.Offset+1, e.Msg)
}

// ErrEvaluate is wrapped by the errors of an evaluation: a condition that is several items,
// single() of several, or an expression that takes too long.
var ErrEvaluate = errors.New("FHIRPath cannot be evaluated")

// An Expression is a compiled expression. It does not change.
type Expression struct {
	text string
	root *node
}

// Compile reads an expression. Errors are *SyntaxError.
func Compile(text string) (*Expression, error) {
	p := parser{lexer: lexer{text: text}}
	if len(text) > maxExpression {
		return nil, &SyntaxError{Expression: text, Offset: maxExpression, Msg: fmt.Sprintf("longer than %d bytes", maxExpression)}
	}
	p.advance()
	root := p.expression(implies)
	if p.err == nil && p.tok.kind != tokEnd {
		p.fail("an operator or the end was expected, not %s", p.tok.show())
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Expression{text: text, root: root}, nil
}

// String returns the expression as it was written.
func (e *Expression) String() string { return e.text }

// A node is an operation. What it works on is left, nil for the item the expression is
// evaluated on; arg is the second operand, or the argument of a function.
type node struct {
	op        op
	left, arg *node
	name      string // of an element, a type, a url
	beside    string // "_name" for opChild
	index     int
	literal   Item
}

// An op is what a node does.
type op uint8

const (
	opThis      op = iota // the item itself
	opEmpty               // {}
	opResource            // %resource
	opLiteral             // literal
	opTypeName            // the item itself if it is of type name
	opChild               // elements called name
	opIndex               // the item number index
	opOfType              // items of type name
	opIs                  // whether the one item is of type name
	opWhere               // items for which arg is true
	opAll                 // whether arg is true for all items
	opExists              // whether there are items (for which arg is true)
	opNone                // empty()
	opNot                 // not()
	opCount               // count()
	opFirst               // first()
	opLast                // last()
	opTail                // tail()
	opSingle              // single()
	opExtension           // extensions with url name
	opHasExt              // whether there are such
	opResolve             // what references lead to
	opUnion               // left | arg
	opEqual               // left = arg
	opUnequal             // left != arg
	opAnd                 // left and arg
	opOr                  // left or arg
	opXor                 // left xor arg
	opImplies             // left implies arg
)

// Last cuts the last element off a path: "Patient.name" is "Patient" and "name". It gives nil
// for an expression that does not end with the name of an element; what comes before a name
// alone is the item the expression is evaluated on.
func (e *Expression) Last() (before *Expression, name string) {
	if e.root.op != opChild {
		return nil, ""
	}
	left := e.root.left
	if left == nil {
		left = &node{op: opThis}
	}
	return &Expression{text: e.text, root: left}, e.root.name
}
