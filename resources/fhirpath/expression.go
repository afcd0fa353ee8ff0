package fhirpath

import (
	"errors"
	"fmt"
)

const (
	maxExpression = 8 << 10 // maximum bytes of an expression
	maxNesting    = 64      // maximum nesting of parentheses and arguments
	maxNodes      = 1024    // maximum nodes of the tree of an expression
)

// A SyntaxError is a place where an expression cannot be parsed.
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

// ErrEvaluate is wrapped by the errors of an evaluation: a condition of several items, single() of
// several items, or an expression that takes too long.
var ErrEvaluate = errors.New("the FHIRPath expression cannot be evaluated")

// An Expression is a compiled expression. It is immutable.
type Expression struct {
	text string
	root *node
}

// Compile compiles an expression. Errors are *SyntaxError.
func Compile(text string) (*Expression, error) { return CompileWith(text, nil) }

// CompileWith compiles an expression that may use constants, by their names after %, and %rowIndex.
// Without constants, not even an empty map, there is no %rowIndex.
func CompileWith(text string, constants map[string]Item) (*Expression, error) {
	p := parser{lexer: lexer{text: text}, constants: constants}
	if len(text) > maxExpression {
		return nil, &SyntaxError{Expression: text, Offset: maxExpression, Msg: fmt.Sprintf("the expression is longer than %d bytes", maxExpression)}
	}
	p.advance()
	root := p.expression(implies)
	if p.err == nil && p.tok.kind != tokEnd {
		p.fail("expected an operator or the end, found %s", p.tok.show())
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Expression{text: text, root: root}, nil
}

// String returns the source of the expression.
func (e *Expression) String() string { return e.text }

// Asks calls fn with each function that an Ask answers, and its argument if that is a literal, else "".
func (e *Expression) Asks(fn func(function, literal string)) { e.root.asks(fn) }

func (n *node) asks(fn func(function, literal string)) {
	if n == nil {
		return
	}
	if n.op == opAsk {
		literal := ""
		if n.arg != nil && n.arg.op == opLiteral {
			literal = n.arg.literal.text
		}
		fn(n.name, literal)
	}
	for _, part := range append([]*node{n.left, n.arg}, n.more...) {
		part.asks(fn)
	}
}

// A node is an operation. Its input is left, nil for the item that the expression is evaluated on.
// arg is the second operand, or the argument of a function, and more are its other arguments.
type node struct {
	op        op
	left, arg *node
	more      []*node
	call      builtin // for opCall
	name      string  // of an element, a type, or a url
	beside    string  // "_name" for opChild
	index     int
	literal   Item
}

// An op is the operation of a node.
type op uint8

const (
	opThis         op = iota // the item itself
	opEmpty                  // {}
	opResource               // %resource
	opRoot                   // %rootResource
	opContext                // %context
	opPosition               // $index
	opTotal                  // $total
	opRow                    // %rowIndex
	opLiteral                // literal
	opTypeName               // the item itself if its type is name
	opChild                  // elements with the name
	opChildren               // children()
	opDescendants            // descendants()
	opIndex                  // the item at index
	opOfType                 // items whose type is name
	opIs                     // whether the single item is of type name
	opWhere                  // items for which arg is true
	opAll                    // whether arg is true for all items
	opExists                 // whether there are items (for which arg is true)
	opSelect                 // results of arg for all items
	opRepeat                 // results of arg for all items and results
	opAggregate              // $total after arg was evaluated for all items
	opIif                    // one of the arguments
	opNone                   // empty()
	opNot                    // not()
	opAllTrue                // allTrue()
	opAnyTrue                // anyTrue()
	opAllFalse               // allFalse()
	opAnyFalse               // anyFalse()
	opCount                  // count()
	opFirst                  // first()
	opLast                   // last()
	opTail                   // tail()
	opSkip                   // skip(arg)
	opTake                   // take(arg)
	opSingle                 // single()
	opDistinct               // distinct()
	opIsDistinct             // isDistinct()
	opTrace                  // trace(…)
	opHasValue               // hasValue()
	opGetValue               // getValue()
	opExtension              // extensions with the url name or arg
	opHasExt                 // whether there are such extensions
	opResolve                // targets of references
	opJoinAll                // join(arg)
	opResourceKey            // getResourceKey()
	opReferenceKey           // getReferenceKey(name)
	opAsk                    // a function that the caller answers
	opCall                   // a function of single items
	opUnion                  // left | arg
	opCombine                // combine(arg)
	opIntersect              // intersect(arg)
	opExclude                // exclude(arg)
	opSubset                 // subsetOf(arg)
	opSuperset               // supersetOf(arg)
	opEqual                  // left = arg
	opUnequal                // left != arg
	opAlike                  // left ~ arg
	opUnlike                 // left !~ arg
	opIn                     // left in arg
	opContains               // left contains arg
	opLess                   // left < arg
	opAtMost                 // left <= arg
	opMore                   // left > arg
	opAtLeast                // left >= arg
	opAdd                    // left + arg
	opSubtract               // left - arg
	opJoin                   // left & arg
	opMultiply               // left * arg
	opDivide                 // left / arg
	opDiv                    // left div arg
	opMod                    // left mod arg
	opAnd                    // left and arg
	opOr                     // left or arg
	opXor                    // left xor arg
	opImplies                // left implies arg
)

// Last splits the last element off a path: "Patient.name" is "Patient" and "name". It returns nil
// for an expression that does not end with the name of an element. For a name alone, before is the
// item that the expression is evaluated on.
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
