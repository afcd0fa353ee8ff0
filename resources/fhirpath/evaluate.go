package fhirpath

import (
	"errors"
	"slices"
	"strconv"

	"github.com/roget-health/roget/resources/document"
)

// eval pushes the results of a node for the item this onto the stack.
func (s *Scope) eval(n *node, this Item) error {
	if s.steps++; s.steps > s.limit || len(s.stack) > maxItems {
		return errSteps
	}
	switch n.op {
	case opThis:
		s.put(this)
	case opEmpty:
	case opResource:
		s.put(s.within)
	case opRoot:
		s.put(s.root)
	case opContext:
		s.put(s.context)
	case opPosition:
		s.put(computed(document.Number, strconv.Itoa(s.position)))
	case opTotal:
		s.steps += len(s.total)
		s.stack = append(s.stack, s.total...)
	case opRow:
		s.put(computed(document.Number, strconv.Itoa(s.row)))
	case opLiteral:
		s.put(n.literal)
	case opTypeName:
		if s.has(this, n.name) {
			s.put(this)
		}
	case opUnion, opCombine, opIntersect, opExclude, opSubset, opSuperset:
		return s.collections(n, this)
	case opEqual, opUnequal, opAlike, opUnlike, opIn, opContains:
		return s.equality(n, this)
	case opLess, opAtMost, opMore, opAtLeast, opAdd, opSubtract, opJoin, opMultiply, opDivide, opDiv, opMod:
		return s.binary(n, this)
	case opAnd, opOr, opXor, opImplies:
		return s.logic(n, this)
	case opWhere, opAll, opExists, opSelect, opRepeat, opAggregate:
		return s.filter(n, this)
	default:
		return s.each(n, this)
	}
	return nil
}

// put pushes an item, or nothing for an empty collection.
func (s *Scope) put(i Item) {
	if !i.none {
		s.stack = append(s.stack, i)
	}
}

// input pushes the input of a node onto the stack.
func (s *Scope) input(n *node, this Item) error {
	if n.left != nil {
		return s.eval(n.left, this)
	}
	s.put(this)
	return nil
}

// each evaluates the operations that take their input as a whole or item by item.
func (s *Scope) each(n *node, this Item) error {
	from := len(s.stack)
	if n.op == opChild {
		switch {
		case n.left == nil:
			s.children(this, n)
			return nil
		case n.left.op == opDescendants:
			return s.below(n.left, this, n)
		}
	}
	if n.op == opDescendants {
		return s.below(n, this, nil)
	}
	if err := s.input(n, this); err != nil {
		return err
	}
	to := len(s.stack)
	count := to - from
	switch n.op {
	case opChild:
		for i := from; i < to; i++ {
			s.children(s.stack[i], n)
		}
		s.drop(from, to)
	case opChildren:
		for i := from; i < to; i++ {
			s.members(s.stack[i])
		}
		s.drop(from, to)
	case opIndex:
		s.keep(from, from+n.index, from+n.index+1)
	case opFirst:
		s.keep(from, from, from+1)
	case opLast:
		s.keep(from, max(to-1, from), to)
	case opTail:
		s.keep(from, min(from+1, to), to)
	case opSkip, opTake:
		at, err := s.whole(n.arg, this)
		if at = from + min(max(at, 0), count); n.op == opSkip {
			s.keep(from, at, to)
		} else {
			s.keep(from, from, at)
		}
		return err
	case opSingle:
		if count > 1 {
			return errors.New("single() of " + strconv.Itoa(count) + " items")
		}
	case opDistinct:
		s.distinct(from)
	case opIsDistinct:
		s.distinct(from)
		s.result(from, truth(len(s.stack) == to))
	case opCount:
		s.result(from, computed(document.Number, strconv.Itoa(count)))
	case opNone:
		s.result(from, truth(count == 0))
	case opNot:
		if yes, known, err := s.condition(from); err != nil {
			return err
		} else if known {
			s.result(from, truth(!yes))
		}
	case opAllTrue, opAnyTrue, opAllFalse, opAnyFalse:
		seen := map[string]bool{}
		for _, i := range s.stack[from:] {
			seen[i.Text()] = true
		}
		s.result(from, truth(n.op == opAllTrue && !seen["false"] || n.op == opAnyTrue && seen["true"] ||
			n.op == opAllFalse && !seen["true"] || n.op == opAnyFalse && seen["false"]))
	case opOfType:
		end := from
		for i := from; i < to; i++ {
			if s.has(s.stack[i], n.name) {
				s.stack[end] = s.stack[i]
				end++
			}
		}
		s.stack = s.stack[:end]
	case opIs:
		if count > 1 {
			return errors.New("is needs one item, but there are " + strconv.Itoa(count))
		}
		if count == 1 {
			s.result(from, truth(s.has(s.stack[from], n.name)))
		}
	case opExtension, opHasExt:
		return s.extended(n, this, from, to)
	case opResolve:
		for i := from; i < to; i++ {
			if target, found := s.resolve(s.stack[i]); found {
				s.stack = append(s.stack, target)
			}
		}
		s.drop(from, to)
	case opJoinAll:
		return s.joined(n, this, from)
	case opResourceKey, opReferenceKey:
		for i := from; i < to; i++ {
			s.put(s.key(n, s.stack[i]))
		}
		s.drop(from, to)
	case opHasValue:
		s.result(from, truth(count == 1 && s.stack[from].hasValue()))
	case opGetValue:
		if count != 1 || !s.stack[from].hasValue() {
			s.stack = s.stack[:from]
		}
	case opIif, opAsk, opCall:
		return s.called(n, this, from)
	}
	return nil
}

// drop removes stack[from:to].
func (s *Scope) drop(from, to int) {
	s.stack = s.stack[:from+copy(s.stack[from:], s.stack[to:])]
}

// keep keeps only stack[first:last] of stack[from:], as far as it exists.
func (s *Scope) keep(from, first, last int) {
	if first >= len(s.stack) {
		s.stack = s.stack[:from]
		return
	}
	last = min(last, len(s.stack))
	s.stack = s.stack[:from+copy(s.stack[from:], s.stack[first:last])]
}

// result replaces stack[from:] by one item.
func (s *Scope) result(from int, item Item) { s.stack = append(s.stack[:from], item) }

// condition reads stack[from:] as true or false and drops it. known is false if it is empty. A
// single item that is not a boolean is true.
func (s *Scope) condition(from int) (yes, known bool, err error) {
	defer func() { s.stack = s.stack[:from] }()
	switch len(s.stack) - from {
	case 0:
		return false, false, nil
	case 1:
		item := s.stack[from]
		return item.Kind() != document.Bool || item.Text() == "true", true, nil
	}
	return false, false, errors.New("a condition needs one item, but there are " + strconv.Itoa(len(s.stack)-from))
}

// test evaluates a condition on an item.
func (s *Scope) test(n *node, this Item) (yes, known bool, err error) {
	from := len(s.stack)
	if err := s.eval(n, this); err != nil {
		return false, false, err
	}
	return s.condition(from)
}

// filter evaluates the functions with an argument that is evaluated on each item.
func (s *Scope) filter(n *node, this Item) error {
	from := len(s.stack)
	if err := s.input(n, this); err != nil {
		return err
	}
	end, to := from, len(s.stack)
	position, total := s.position, s.total
	defer func() { s.position, s.total = position, total }()
	switch n.op {
	case opSelect:
		for i := from; i < to; i++ {
			s.position = i - from
			if err := s.eval(n.arg, s.stack[i]); err != nil {
				return err
			}
		}
		s.drop(from, to)
		return nil
	case opRepeat:
		return s.repeat(n, from)
	case opAggregate:
		return s.aggregate(n, this, from)
	}
	for i := from; i < to; i++ {
		yes := true
		if n.arg != nil {
			var err error
			s.position = i - from
			if yes, _, err = s.test(n.arg, s.stack[i]); err != nil {
				return err
			}
		}
		if yes {
			s.stack[end] = s.stack[i]
			end++
		}
		if yes == (n.op == opExists) && n.op != opWhere {
			to = i + 1 // the result is known
		}
	}
	switch n.op {
	case opWhere:
		s.stack = s.stack[:end]
	case opExists:
		s.result(from, truth(end > from))
	case opAll:
		s.result(from, truth(end == to))
	}
	return nil
}

// repeat evaluates repeat(arg) of stack[from:]: the results of arg, and those of them, without
// repeating a place of the document.
func (s *Scope) repeat(n *node, from int) error {
	to, seen := len(s.stack), map[Item]bool{}
	for i := from; i < len(s.stack); i++ {
		end := len(s.stack)
		if err := s.eval(n.arg, s.stack[i]); err != nil {
			return err
		}
		found := s.stack[end:]
		s.stack = s.stack[:end]
		for _, item := range found {
			if !seen[item] {
				seen[item] = true
				s.put(item)
			}
		}
	}
	s.drop(from, to)
	return nil
}

// aggregate evaluates aggregate(arg, start): arg for each item of stack[from:], with the result of
// the one before as $total.
func (s *Scope) aggregate(n *node, this Item, from int) error {
	to := len(s.stack)
	s.total = nil
	take := func(err error) error {
		s.total = slices.Clone(s.stack[to:])
		s.stack = s.stack[:to]
		return err
	}
	if len(n.more) > 0 {
		if err := take(s.eval(n.more[0], this)); err != nil {
			return err
		}
	}
	for i := from; i < to; i++ {
		s.position = i - from
		if err := take(s.eval(n.arg, s.stack[i])); err != nil {
			return err
		}
	}
	s.stack = append(s.stack[:from], s.total...)
	return nil
}

// sides evaluates both operands of an operator. The items of the left one are below mid on the
// stack, those of the right one above.
func (s *Scope) sides(n *node, this Item) (mid int, err error) {
	if err := s.eval(n.left, this); err != nil {
		return 0, err
	}
	mid = len(s.stack)
	return mid, s.eval(n.arg, this)
}

// equality evaluates = != ~ !~ in contains. All but ~ and !~ are empty if an operand is, or if a
// comparison of dates is not known.
func (s *Scope) equality(n *node, this Item) error {
	from := len(s.stack)
	mid, err := s.sides(n, this)
	if err != nil {
		return err
	}
	left, right := s.stack[from:mid], s.stack[mid:]
	if n.op == opContains {
		left, right = right, left
	}
	if n.op == opIn || n.op == opContains {
		switch {
		case len(left) > 1:
			return errors.New("membership needs one item, but there are " + strconv.Itoa(len(left)))
		case len(left) == 0:
			s.stack = s.stack[:from]
		default:
			s.result(from, truth(s.isIn(left[0], right)))
		}
		return nil
	}
	if n.op == opAlike || n.op == opUnlike {
		s.result(from, truth(s.alike(left, right) == (n.op == opAlike)))
		return nil
	}
	if len(left) == 0 || len(right) == 0 {
		s.stack = s.stack[:from]
		return nil
	}
	same := len(left) == len(right)
	for i := 0; same && i < len(left); i++ {
		s.steps += 1 + left[i].Value.Size()
		var known bool
		if same, known = equal(left[i], right[i]); !known {
			s.stack = s.stack[:from]
			return nil
		}
	}
	s.result(from, truth(same == (n.op == opEqual)))
	return nil
}

// logic evaluates the operators of three-valued logic. The right operand is evaluated if the left
// one does not decide.
func (s *Scope) logic(n *node, this Item) error {
	a, knownA, err := s.test(n.left, this)
	if err != nil {
		return err
	}
	if n.op == opImplies { // not a, or b
		a = knownA && !a
	}
	if knownA && (n.op == opAnd && !a || (n.op == opOr || n.op == opImplies) && a) {
		s.put(truth(a))
		return nil
	}
	b, knownB, err := s.test(n.arg, this)
	if err != nil {
		return err
	}
	switch {
	case knownB && (n.op == opAnd && !b || (n.op == opOr || n.op == opImplies) && b):
		s.put(truth(b))
	case !knownA || !knownB:
	case n.op == opXor:
		s.put(truth(a != b))
	default:
		s.put(truth(n.op == opAnd))
	}
	return nil
}
