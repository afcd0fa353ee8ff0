package fhirpath

import (
	"errors"
	"strconv"

	"github.com/roget-health/roget/resources/document"
)

// eval pushes the results of a node for the item this onto the stack.
func (s *Scope) eval(n *node, this Item) error {
	if s.steps++; s.steps > s.limit {
		return errors.New("the evaluation takes too many steps")
	}
	switch n.op {
	case opThis:
		s.stack = append(s.stack, this)
	case opEmpty:
	case opResource:
		s.stack = append(s.stack, s.root)
	case opLiteral:
		s.stack = append(s.stack, n.literal)
	case opTypeName:
		if s.has(this, n.name) {
			s.stack = append(s.stack, this)
		}
	case opUnion:
		return s.union(n, this)
	case opEqual, opUnequal:
		return s.equality(n, this)
	case opAnd, opOr, opXor, opImplies:
		return s.logic(n, this)
	case opWhere, opAll, opExists:
		return s.filter(n, this)
	default:
		return s.each(n, this)
	}
	return nil
}

// input pushes the input of a node onto the stack.
func (s *Scope) input(n *node, this Item) error {
	if n.left != nil {
		return s.eval(n.left, this)
	}
	s.stack = append(s.stack, this)
	return nil
}

// each evaluates the operations that take their input as a whole or item by item.
func (s *Scope) each(n *node, this Item) error {
	from := len(s.stack)
	if n.op == opChild && n.left == nil {
		s.children(this, n)
		return nil
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
	case opIndex:
		s.keep(from, from+n.index, from+n.index+1)
	case opFirst:
		s.keep(from, from, from+1)
	case opLast:
		s.keep(from, max(to-1, from), to)
	case opTail:
		s.keep(from, min(from+1, to), to)
	case opSingle:
		if count > 1 {
			return errors.New("single() of " + strconv.Itoa(count) + " items")
		}
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
	case opOfType:
		kept := from
		for i := from; i < to; i++ {
			if s.has(s.stack[i], n.name) {
				s.stack[kept] = s.stack[i]
				kept++
			}
		}
		s.stack = s.stack[:kept]
	case opIs:
		if count > 1 {
			return errors.New("is needs one item, but there are " + strconv.Itoa(count))
		}
		if count == 1 {
			s.result(from, truth(s.has(s.stack[from], n.name)))
		}
	case opExtension, opHasExt:
		for i := from; i < to; i++ {
			s.extensions(s.stack[i], n.name)
		}
		s.drop(from, to)
		if n.op == opHasExt {
			s.result(from, truth(len(s.stack) > from))
		}
	case opResolve:
		for i := from; i < to; i++ {
			if target, found := s.resolve(s.stack[i]); found {
				s.stack = append(s.stack, target)
			}
		}
		s.drop(from, to)
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

// filter evaluates where, all and exists.
func (s *Scope) filter(n *node, this Item) error {
	from := len(s.stack)
	if err := s.input(n, this); err != nil {
		return err
	}
	kept, to := from, len(s.stack)
	for i := from; i < to; i++ {
		yes := true
		if n.arg != nil {
			var err error
			if yes, _, err = s.test(n.arg, s.stack[i]); err != nil {
				return err
			}
		}
		if yes {
			s.stack[kept] = s.stack[i]
			kept++
		}
	}
	switch n.op {
	case opWhere:
		s.stack = s.stack[:kept]
	case opExists:
		s.result(from, truth(kept > from))
	case opAll:
		s.result(from, truth(kept == to))
	}
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

// union pushes the items of both operands, without repeating a place of the document.
func (s *Scope) union(n *node, this Item) error {
	from := len(s.stack)
	mid, err := s.sides(n, this)
	if err != nil {
		return err
	}
	to := len(s.stack)
	if mid == from || mid == to {
		return nil
	}
	seen := make(map[Item]bool, mid-from)
	for _, item := range s.stack[from:mid] {
		seen[item] = true
	}
	kept := mid
	for i := mid; i < to; i++ {
		if !seen[s.stack[i]] {
			s.stack[kept] = s.stack[i]
			kept++
		}
	}
	s.stack = s.stack[:kept]
	return nil
}

// equality evaluates = and !=, which are empty if an operand is empty.
func (s *Scope) equality(n *node, this Item) error {
	from := len(s.stack)
	mid, err := s.sides(n, this)
	if err != nil {
		return err
	}
	left, right := s.stack[from:mid], s.stack[mid:]
	if len(left) == 0 || len(right) == 0 {
		s.stack = s.stack[:from]
		return nil
	}
	same := len(left) == len(right)
	for i := 0; same && i < len(left); i++ {
		s.steps += 1 + left[i].Value.Size()
		same = equal(left[i], right[i])
	}
	s.result(from, truth(same == (n.op == opEqual)))
	return nil
}

// logic evaluates the operators of three-valued logic.
func (s *Scope) logic(n *node, this Item) error {
	a, knownA, err := s.test(n.left, this)
	if err != nil {
		return err
	}
	b, knownB, err := s.test(n.arg, this)
	if err != nil {
		return err
	}
	if n.op == opImplies { // not a, or b
		a = knownA && !a
	}
	switch n.op {
	case opAnd:
		switch {
		case knownA && !a || knownB && !b:
			s.stack = append(s.stack, truth(false))
		case knownA && knownB:
			s.stack = append(s.stack, truth(true))
		}
	case opOr, opImplies:
		switch {
		case knownA && a || knownB && b:
			s.stack = append(s.stack, truth(true))
		case knownA && knownB:
			s.stack = append(s.stack, truth(false))
		}
	case opXor:
		if knownA && knownB {
			s.stack = append(s.stack, truth(a != b))
		}
	}
	return nil
}
