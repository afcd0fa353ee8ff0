package ucum

import (
	"fmt"
	"maps"
	"math"
	"math/big"
)

// Commensurable reports whether values can be converted between two units: they have the same
// dimension and the same arbitrary units.
func Commensurable(a, b *Unit) bool {
	return a.dimension() == b.dimension() && maps.Equal(a.arbitrary(), b.arbitrary())
}

// Convert converts a value from one unit to another. The result is exact unless a special unit
// other than a temperature is involved. Errors: ErrNotCommensurable, ErrNotConvertible, ErrLimit.
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

// ToCanonical converts a value of the unit to its canonical units, in which quantities in
// different units are compared. Errors: ErrNotConvertible, ErrLimit.
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

// measure returns the multipliers for the conversion to canonical units: prefix applies before the
// scale of a special unit, factor after it.
func (u *Unit) measure() (prefix, factor *big.Rat, s *scale, err error) {
	if prefix, s, err = u.scale(); err != nil {
		return nil, nil, nil, err
	}
	factor, err = u.linearFactor(s)
	return prefix, factor, s, err
}

// scale returns the scale of a special unit and its prefix; nil and 1 for other units.
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

// linearFactor returns the factor without the prefix of a special unit, which belongs to the
// scale.
func (u *Unit) linearFactor(s *scale) (*big.Rat, error) {
	if s != nil {
		return u.single().atom.factor, nil
	}
	return u.Factor()
}

// apply converts from the scale to the linear unit, or back. The result is a new number.
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
