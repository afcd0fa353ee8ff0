package ucum

import (
	"fmt"
	"maps"
	"math"
	"math/big"
)

// Commensurable reports whether values can be converted from one unit to the other: they
// have the same dimension and the same arbitrary units.
func Commensurable(a, b *Unit) bool {
	return a.dimension() == b.dimension() && maps.Equal(a.arbitrary(), b.arbitrary())
}

// Convert returns the value that is as much in unit to as value is in unit from. The result
// is exact unless a special unit other than a temperature takes part. Errors:
// ErrNotCommensurable, ErrNotConvertible, ErrLimit.
func Convert(value *big.Rat, from, to *Unit) (*big.Rat, error) {
	if !Commensurable(from, to) {
		return nil, fmt.Errorf("%w: %s and %s have the canonical units %s and %s",
			ErrNotCommensurable, from.code, to.code, from.Canonical(), to.Canonical())
	}
	x, err := from.ToCanonical(value)
	if err != nil {
		return nil, err
	}
	return to.fromCanonical(x)
}

// ToCanonical returns a value of the unit in its canonical units: the quantity that is
// compared when quantities in different units are. Errors: ErrNotConvertible, ErrLimit.
func (u *Unit) ToCanonical(value *big.Rat) (*big.Rat, error) {
	prefix, f, scale, err := u.measure()
	if err != nil {
		return nil, err
	}
	x := new(big.Rat).Mul(value, prefix)
	if x, err = scale.apply(x, true); err != nil {
		return nil, fmt.Errorf("%s: %w", u.code, err)
	}
	return x.Mul(x, f), nil
}

// fromCanonical is the inverse of ToCanonical.
func (u *Unit) fromCanonical(x *big.Rat) (*big.Rat, error) {
	prefix, f, scale, err := u.measure()
	if err != nil {
		return nil, err
	}
	y := new(big.Rat).Quo(x, f)
	if y, err = scale.apply(y, false); err != nil {
		return nil, fmt.Errorf("%s: %w", u.code, err)
	}
	return y.Quo(y, prefix), nil
}

// measure returns what a value of the unit is multiplied by on its way to canonical units:
// the prefix before, the factor after the scale of a special unit.
func (u *Unit) measure() (prefix, factor *big.Rat, s *scale, err error) {
	if prefix, s, err = u.scale(); err != nil {
		return nil, nil, nil, err
	}
	factor, err = u.linearFactor(s)
	return prefix, factor, s, err
}

// scale returns the scale of a special unit and the prefix it has; nil and 1 for others.
func (u *Unit) scale() (*big.Rat, *scale, error) {
	unity := big.NewRat(1, 1)
	if !u.Special() {
		return unity, nil, nil
	}
	c := u.single()
	if c == nil || c.power != 1 {
		return nil, nil, fmt.Errorf("%w: %s has a special unit in a product", ErrNotConvertible, u.code)
	}
	if c.prefix != nil {
		unity = c.prefix.factor
	}
	return unity, c.atom.scale, nil
}

// linearFactor returns the factor without the prefix of a special unit, which belongs to the scale.
func (u *Unit) linearFactor(s *scale) (*big.Rat, error) {
	if s != nil {
		return u.single().atom.factor, nil
	}
	return u.Factor()
}

// apply leads from the scale to the linear unit, or back. The result is a new number.
func (s *scale) apply(x *big.Rat, toLinear bool) (*big.Rat, error) {
	if s == nil {
		return new(big.Rat).Set(x), nil
	}
	if s.shift != "" {
		by, err := number(s.shift)
		if err != nil {
			return nil, err
		}
		if toLinear {
			return by.Add(x, by), nil
		}
		return by.Sub(x, by), nil
	}
	f, _ := x.Float64()
	if toLinear {
		f = s.toLinear(f)
	} else {
		f = s.onward(f)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%w: no such value on the scale", ErrNotConvertible)
	}
	return new(big.Rat).SetFloat64(f), nil
}
