package fhirpath

import (
	"strconv"

	"github.com/roget-health/roget/resources/document"
)

// A function is how a function is called: its operation, and the letters of its arguments. e is an
// expression that is evaluated on each item of the input, v one that is evaluated on what the
// function call is evaluated on, and t the name of a type. Those after '?' may be missing.
type function struct {
	op    op
	takes string
	call  builtin
}

var functions = map[string]function{
	"where": {op: opWhere, takes: "e"}, "all": {op: opAll, takes: "e"}, "exists": {op: opExists, takes: "?e"},
	"select": {op: opSelect, takes: "e"}, "repeat": {op: opRepeat, takes: "e"}, "aggregate": {op: opAggregate, takes: "e?v"},
	"iif": {op: opIif, takes: "ee?e"}, "empty": {op: opNone}, "not": {op: opNot}, "count": {op: opCount},
	"allTrue": {op: opAllTrue}, "anyTrue": {op: opAnyTrue}, "allFalse": {op: opAllFalse}, "anyFalse": {op: opAnyFalse},
	"first": {op: opFirst}, "last": {op: opLast}, "tail": {op: opTail}, "single": {op: opSingle},
	"skip": {op: opSkip, takes: "v"}, "take": {op: opTake, takes: "v"},
	"distinct": {op: opDistinct}, "isDistinct": {op: opIsDistinct}, "children": {op: opChildren}, "descendants": {op: opDescendants},
	"as": {op: opOfType, takes: "t"}, "ofType": {op: opOfType, takes: "t"}, "is": {op: opIs, takes: "t"},
	"extension": {op: opExtension, takes: "v"}, "hasExtension": {op: opHasExt, takes: "v"}, "resolve": {op: opResolve},
	"hasValue": {op: opHasValue}, "getValue": {op: opGetValue}, "trace": {op: opTrace, takes: "v?e"},
	"union": {op: opUnion, takes: "v"}, "combine": {op: opCombine, takes: "v"}, "intersect": {op: opIntersect, takes: "v"},
	"exclude": {op: opExclude, takes: "v"}, "subsetOf": {op: opSubset, takes: "v"}, "supersetOf": {op: opSuperset, takes: "v"},
	"htmlChecks": {op: opAsk}, "memberOf": {op: opAsk, takes: "v"}, "conformsTo": {op: opAsk, takes: "v"},
	"subsumes": {op: opAsk, takes: "v"}, "subsumedBy": {op: opAsk, takes: "v"},
	"join": {op: opJoinAll, takes: "?v"}, "getResourceKey": {op: opResourceKey}, "getReferenceKey": {op: opReferenceKey, takes: "?t"},
	"lowBoundary": {op: opCall, takes: "?v", call: boundary(false)}, "highBoundary": {op: opCall, takes: "?v", call: boundary(true)},
	"now": {op: opCall, call: now}, "today": {op: opCall, call: today}, "timeOfDay": {op: opCall, call: timeOfDay},
	"toString": {op: opCall, call: toString}, "toInteger": {op: opCall, call: toInteger}, "toDecimal": {op: opCall, call: toDecimal},
	"toBoolean": {op: opCall, call: toBoolean}, "toDate": {op: opCall, call: toDate}, "toDateTime": {op: opCall, call: toDateTime},
	"toTime": {op: opCall, call: toTime}, "toQuantity": {op: opCall, call: toQuantity},
	"convertsToString": {op: opCall, call: converts(toString)}, "convertsToInteger": {op: opCall, call: converts(toInteger)},
	"convertsToDecimal": {op: opCall, call: converts(toDecimal)}, "convertsToBoolean": {op: opCall, call: converts(toBoolean)},
	"convertsToDate": {op: opCall, call: converts(toDate)}, "convertsToDateTime": {op: opCall, call: converts(toDateTime)},
	"convertsToTime": {op: opCall, call: converts(toTime)}, "convertsToQuantity": {op: opCall, call: converts(toQuantity)},
	"indexOf": {op: opCall, takes: "v", call: indexOf}, "substring": {op: opCall, takes: "v?v", call: substring},
	"startsWith": {op: opCall, takes: "v", call: startsWith}, "endsWith": {op: opCall, takes: "v", call: endsWith},
	"contains": {op: opCall, takes: "v", call: containsText}, "upper": {op: opCall, call: upper}, "lower": {op: opCall, call: lower},
	"replace": {op: opCall, takes: "vv", call: replace}, "matches": {op: opCall, takes: "v", call: matches},
	"replaceMatches": {op: opCall, takes: "vv", call: replaceMatches}, "length": {op: opCall, call: length},
	"trim": {op: opCall, call: trim},
	"abs":  {op: opCall, call: rounded("abs")}, "ceiling": {op: opCall, call: rounded("ceiling")}, "floor": {op: opCall, call: rounded("floor")},
	"truncate": {op: opCall, call: rounded("truncate")}, "round": {op: opCall, takes: "?v", call: round},
	"exp": {op: opCall, call: real("exp")}, "ln": {op: opCall, call: real("ln")}, "sqrt": {op: opCall, call: real("sqrt")},
	"log": {op: opCall, takes: "v", call: real("log")}, "power": {op: opCall, takes: "v", call: real("power")},
}

// function parses the arguments of a function, whose name is at a position, and the closing bracket.
func (p *parser) function(left *node, name string, at int) *node {
	f, found := functions[name]
	if !found {
		p.failAt(at, "the function %s() is not supported", name)
		return nil
	}
	n := p.make(node{op: f.op, left: left, call: f.call})
	if f.op == opAsk {
		n.name = name
	}
	optional := false
	var arguments []*node
	for i := range len(f.takes) {
		if f.takes[i] == '?' {
			optional = true
			continue
		}
		if optional && p.tok.kind == tokSymbol && p.tok.text == ")" {
			break
		}
		if len(arguments) > 0 {
			p.want(",")
		}
		if f.takes[i] == 't' {
			if n.name = p.tok.text; n.op != opReferenceKey || p.tok.kind != tokString {
				n.name = p.typeName()
			} else { // a text instead, as in examples of SQL on FHIR
				p.advance()
			}
			break
		}
		arguments = append(arguments, p.expression(implies))
	}
	p.want(")")
	if p.err != nil {
		return nil
	}
	if len(arguments) > 0 {
		n.arg, n.more = arguments[0], arguments[1:]
	}
	switch {
	case n.arg == nil:
	case name == "matches" && n.arg.op == opLiteral:
		re, err := pattern(n.arg.literal.text)
		if err != nil {
			p.failAt(at, "%v", err)
			return nil
		}
		n.arg, n.call = nil, matcher(re)
	case (n.op == opExtension || n.op == opHasExt) && n.arg.op == opLiteral:
		n.name, n.arg = n.arg.literal.text, nil
	case n.op >= opUnion && n.left == nil:
		n.left = p.make(node{op: opThis})
	}
	return n
}

// truth returns the item of a boolean.
func truth(yes bool) Item { return computed(document.Bool, strconv.FormatBool(yes)) }
