package fhirpath

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/roget-health/roget/resources/document"
)

// collections evaluates the functions of two collections. A union does not repeat a place of the
// document or a computed value.
func (s *Scope) collections(n *node, this Item) error {
	from := len(s.stack)
	mid, err := s.sides(n, this)
	if err != nil {
		return err
	}
	to := len(s.stack)
	switch n.op {
	case opUnion:
		if mid == from || mid == to {
			return nil
		}
		seen := make(map[Item]bool, mid-from)
		for _, item := range s.stack[from:mid] {
			seen[item] = true
		}
		end := mid
		for i := mid; i < to; i++ {
			if !seen[s.stack[i]] {
				s.stack[end] = s.stack[i]
				end++
			}
		}
		s.stack = s.stack[:end]
	case opIntersect, opExclude:
		end, right := from, s.stack[mid:]
		for i := from; i < mid; i++ {
			if s.isIn(s.stack[i], right) == (n.op == opIntersect) {
				s.stack[end] = s.stack[i]
				end++
			}
		}
		s.stack = s.stack[:end]
		if n.op == opIntersect {
			s.distinct(from)
		}
	case opSubset, opSuperset:
		left, right := s.stack[from:mid], s.stack[mid:]
		if n.op == opSuperset {
			left, right = right, left
		}
		all := true
		for _, item := range left {
			all = all && s.isIn(item, right)
		}
		s.result(from, truth(all))
	}
	return nil
}

// isIn reports whether an item equals one of a list.
func (s *Scope) isIn(item Item, list []Item) bool {
	for _, other := range list {
		s.steps += 1 + item.Value.Size()
		if same, known := equal(item, other); same && known {
			return true
		}
		if s.steps > s.limit {
			return false
		}
	}
	return false
}

// distinct drops the items of stack[from:] that equal one before.
func (s *Scope) distinct(from int) {
	type key struct {
		kind document.Kind
		text string
	}
	end, seen := from, map[key]bool{}
	for i := from; i < len(s.stack); i++ {
		item := s.stack[i]
		if item.hasValue() && !item.isMoment() {
			k := key{item.Kind(), item.Text()}
			if k.kind == document.Number && strings.Contains(k.text, ".") {
				k.text = strings.TrimSuffix(strings.TrimRight(k.text, "0"), ".")
			}
			if seen[k] {
				continue
			}
			seen[k] = true
		} else if s.isIn(item, s.stack[from:end]) {
			continue
		}
		s.stack[end] = item
		end++
	}
	s.stack = s.stack[:end]
}

// alike reports whether two collections are equivalent: they have equivalent items in any order.
func (s *Scope) alike(left, right []Item) bool {
	if len(left) != len(right) {
		return false
	}
	rest := slices.Clone(right)
	for _, item := range left {
		at := slices.IndexFunc(rest, func(other Item) bool {
			s.steps += 1 + item.Value.Size()
			return s.steps <= s.limit && equivalent(item, other)
		})
		if at < 0 {
			return false
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return true
}

// equivalent compares texts without regard to case and to which white space stands where, and numbers by
// the digits that both have.
func equivalent(a, b Item) bool {
	if a.Kind() == document.String && b.Kind() == document.String && !a.isMoment() {
		blank := func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		}
		return strings.EqualFold(strings.Map(blank, a.Text()), strings.Map(blank, b.Text()))
	}
	if a.Kind() == document.Number && b.Kind() == document.Number {
		x, err := number(a)
		y, other := number(b)
		if err != nil || other != nil {
			return false
		}
		digits := min(decimals(a.Text()), decimals(b.Text()))
		return x.FloatString(digits) == y.FloatString(digits)
	}
	same, known := equal(a, b)
	return same && known
}

// decimals returns the number of digits after the point.
func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// single evaluates an argument that is at most one item.
func (s *Scope) single(n *node, this Item) (item Item, found bool, err error) {
	from := len(s.stack)
	if err := s.eval(n, this); err != nil {
		return Item{}, false, err
	}
	defer func() { s.stack = s.stack[:from] }()
	switch len(s.stack) - from {
	case 0:
		return Item{}, false, nil
	case 1:
		return s.stack[from], true, nil
	}
	return Item{}, false, errors.New("an argument needs one item, but there are " + strconv.Itoa(len(s.stack)-from))
}

// whole evaluates an argument that is a whole number.
func (s *Scope) whole(n *node, this Item) (int, error) {
	item, _, err := s.single(n, this)
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(item.Text())
	if err != nil {
		return 0, errors.New("an argument is not a whole number")
	}
	return number, nil
}

// called evaluates iif, the functions that the caller answers, and those of single items.
func (s *Scope) called(n *node, this Item, from int) error {
	if count := len(s.stack) - from; count > 1 {
		return errors.New("a function needs one item, but there are " + strconv.Itoa(count))
	}
	in := Item{none: true}
	if len(s.stack) > from {
		in = s.stack[from]
	}
	s.stack = s.stack[:from]
	if n.op == opIif {
		yes, _, err := s.test(n.arg, in)
		switch {
		case err != nil:
			return err
		case yes:
			return s.eval(n.more[0], in)
		case len(n.more) > 1:
			return s.eval(n.more[1], in)
		}
		return nil
	}
	if in.none {
		return nil
	}
	var room [2]Item
	arguments := room[:0]
	for i := range 1 + len(n.more) {
		argument := n.arg
		if i > 0 {
			argument = n.more[i-1]
		}
		if argument == nil {
			break
		}
		item, found, err := s.single(argument, this)
		if err != nil || !found {
			return err
		}
		arguments = append(arguments, item)
	}
	if n.op == opCall {
		item, found, err := n.call(s, in, arguments)
		if err == nil && found {
			s.put(item)
		}
		return err
	}
	if s.ask == nil {
		return nil
	}
	if yes, known := s.ask(n.name, in, append(arguments, Item{})[0]); known {
		s.put(truth(yes))
	}
	return nil
}
