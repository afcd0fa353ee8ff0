package fhirpath

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// maxDigits is the number of digits after the point of numbers that have no end.
const maxDigits = 16

// binary evaluates the operators of two single items: comparisons and arithmetic. The result is empty
// if an operand is, but & takes an empty operand for an empty text.
func (s *Scope) binary(n *node, this Item) error {
	a, foundA, err := s.single(n.left, this)
	if err != nil {
		return err
	}
	b, foundB, err := s.single(n.arg, this)
	if err != nil {
		return err
	}
	if n.op == opJoin {
		return s.join(a, b)
	}
	if !foundA || !foundB {
		return nil
	}
	if n.op >= opLess && n.op <= opAtLeast {
		order, known, err := compare(a, b)
		if err == nil && known {
			s.put(truth(n.op == opLess && order < 0 || n.op == opAtMost && order <= 0 || n.op == opMore && order > 0 || n.op == opAtLeast && order >= 0))
		}
		return err
	}
	switch {
	case n.op == opAdd && a.Kind() == document.String && !a.isMoment() && b.Kind() == document.String:
		return s.join(a, b)
	case (n.op == opAdd || n.op == opSubtract) && a.isMoment() && b.isQuantity():
		item, found, err := shifted(a, b, n.op == opSubtract)
		if err == nil && found {
			s.put(item)
		}
		return err
	}
	x, err := number(a)
	if err != nil {
		return err
	}
	y, err := number(b)
	if err != nil {
		return err
	}
	z := new(big.Rat)
	switch n.op {
	case opAdd:
		z.Add(x, y)
	case opSubtract:
		z.Sub(x, y)
	case opMultiply:
		z.Mul(x, y)
	default:
		if y.Sign() == 0 {
			return nil
		}
		if z.Quo(x, y); n.op != opDivide {
			z.SetInt(new(big.Int).Quo(z.Num(), z.Denom()))
		}
		if n.op == opMod {
			z.Sub(x, z.Mul(z, y))
		}
	}
	item, err := numberItem(z)
	if err == nil {
		s.put(item)
	}
	return err
}

// maxText is the maximum length of a computed text.
const maxText = 1 << 20

func (s *Scope) join(a, b Item) error {
	if len(a.Text())+len(b.Text()) > maxText {
		return errors.New("a text is too long")
	}
	s.put(computed(document.String, a.Text()+b.Text()))
	return nil
}

// number returns the value of a number.
func number(i Item) (*big.Rat, error) {
	if i.Kind() != document.Number {
		return nil, fmt.Errorf("%.40q is not a number", i.Text())
	}
	d, err := r4.ParseDecimal(i.Text())
	if err != nil {
		return nil, err
	}
	return d.Rat(), nil
}

// numberItem returns the item of a number.
func numberItem(z *big.Rat) (Item, error) {
	digits, exact := z.FloatPrec()
	text := z.FloatString(digits)
	if !exact {
		text = strings.TrimRight(z.FloatString(maxDigits), "0")
		text = strings.TrimSuffix(text, ".")
	}
	_, err := r4.ParseDecimal(text)
	return computed(document.Number, text), err
}

// compare orders two items of the same kind. It is not known for dates of different precision and for
// quantities with different units.
func compare(a, b Item) (order int, known bool, err error) {
	switch {
	case a.isMoment() && b.Kind() == document.String, b.isMoment() && a.Kind() == document.String:
		order, known = compareMoments(a.Text(), b.Text())
		return order, known, nil
	case a.isQuantity() && b.isQuantity():
		order, known = compareQuantities(a, b)
		return order, known, nil
	case a.Kind() == document.String && b.Kind() == document.String:
		return cmp.Compare(a.Text(), b.Text()), true, nil
	case a.Kind() == document.Number && b.Kind() == document.Number:
		order, err = compareNumbers(a, b)
		return order, true, err
	}
	return 0, false, errors.New("values of different types cannot be compared")
}

func compareNumbers(a, b Item) (int, error) {
	const exact = 15 // digits that a float64 keeps apart
	if s, t := a.Text(), b.Text(); len(s) <= exact && len(t) <= exact {
		x, err := strconv.ParseFloat(s, 64)
		y, other := strconv.ParseFloat(t, 64)
		if err == nil && other == nil {
			return cmp.Compare(x, y), nil
		}
	}
	x, err := number(a)
	if err != nil {
		return 0, err
	}
	y, err := number(b)
	if err != nil {
		return 0, err
	}
	return x.Cmp(y), nil
}

// quantityItem returns the item of a quantity, whose text is "4 days" or "4 mg".
func quantityItem(value, unit string) Item { return computed(document.Object, value+" "+unit) }

// measure returns the value, the code and the name of the unit of a quantity.
func (i Item) measure() (value Item, code, unit string) {
	if i.Computed() {
		number, unit, _ := strings.Cut(i.text, " ")
		return computed(document.Number, number), unit, unit
	}
	return Item{Value: i.Value.Get("value")}, i.Value.Get("code").Text(), i.Value.Get("unit").Text()
}

// compareQuantities orders two quantities. It is known only if they have the same unit, by its code or
// by its name.
func compareQuantities(a, b Item) (order int, known bool) {
	x, code, unit := a.measure()
	y, otherCode, other := b.measure()
	switch {
	case code != "" && (code == otherCode || code == other), unit != "" && (unit == other || unit == otherCode):
	case code == "" && unit == "" && otherCode == "" && other == "":
	case calendarUnit(unit) != 0 && calendarUnit(unit) == calendarUnit(other):
	default:
		return 0, false
	}
	if x.Kind() != document.Number || y.Kind() != document.Number {
		return 0, false
	}
	order, err := compareNumbers(x, y)
	return order, err == nil
}
