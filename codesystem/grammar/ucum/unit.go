package ucum

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// baseUnits is the number of base units in UCUM.
const baseUnits = 7

// dimension holds the exponents of the base units, in the order of the published table.
type dimension [baseUnits]int

// A Unit is a parsed unit. It is immutable and safe for concurrent use.
type Unit struct {
	table      *table
	code       string
	components []component
}

// operator is the operator written before a component.
type operator uint8

const (
	opNone operator = iota
	opMultiply
	opDivide
)

// component is a number or a symbol. Parentheses are resolved into the signs of powers.
type component struct {
	op         operator
	annotation bool     // written as an annotation, counts as 1
	number     *big.Int // nil for a symbol
	prefix     *prefix  // nil without a prefix
	atom       *atom
	exponent   int // as written
	power      int // in the whole expression: negative for divisors
}

// one is the value of an annotation. It is never modified.
var one = big.NewInt(1)

func (u *Unit) add(c component) { u.components = append(u.components, c) }

// Code returns the text that was parsed.
func (u *Unit) Code() string { return u.code }

// dimension adds up the base units. Arbitrary units count as 1, as the table defines them.
func (u *Unit) dimension() (d dimension) {
	for i := range u.components {
		c := &u.components[i]
		if c.atom == nil {
			continue
		}
		for b, n := range c.atom.dim {
			d[b] += n * c.power
		}
	}
	return d
}

// maxBits bounds the numerator and the denominator of a factor.
const maxBits = 1 << 16

// Factor returns the exact size of the unit in canonical units. For a special unit it is that of
// the underlying unit of its scale. ErrLimit is returned for a number of excessive size.
func (u *Unit) Factor() (*big.Rat, error) {
	bits := 0
	f := big.NewRat(1, 1)
	times := func(r *big.Rat, n int) error {
		if bits += abs(n) * (r.Num().BitLen() + r.Denom().BitLen()); bits > maxBits {
			return fmt.Errorf("%w: the factor of %q is too large", ErrLimit, u.code)
		}
		f.Mul(f, raise(r, n))
		return nil
	}
	for i := range u.components {
		c := &u.components[i]
		var err error
		switch {
		case c.annotation:
		case c.number != nil:
			err = times(new(big.Rat).SetInt(c.number), c.power)
		default:
			if c.prefix != nil {
				err = times(c.prefix.factor, c.power)
			}
			if err == nil {
				err = times(c.atom.factor, c.power)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// raise returns r to the power of n.
func raise(r *big.Rat, n int) *big.Rat {
	e := big.NewInt(int64(abs(n)))
	num, den := new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil)
	if n < 0 {
		num, den = den, num
	}
	return new(big.Rat).SetFrac(num, den)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// canonicalOrder is the order of base units in a canonical form: alphabetical without regard to
// case, capitals first.
var canonicalOrder = [baseUnits]string{"C", "cd", "g", "K", "m", "rad", "s"}

// Canonical returns the unit in base units, in alphabetical order, without its factor: "g.m-3". It
// is "1" for a unit without dimension. Units with the same canonical form measure the same kind of
// quantity, apart from arbitrary units.
func (u *Unit) Canonical() string {
	d := u.dimension()
	var b strings.Builder
	for _, code := range canonicalOrder {
		for i, base := range u.table.bases {
			if base != code || d[i] == 0 {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(code)
			if d[i] != 1 {
				b.WriteString(strconv.Itoa(d[i]))
			}
		}
	}
	if b.Len() == 0 {
		return "1"
	}
	return b.String()
}

// Measure returns what the unit measures: its canonical form and its arbitrary units. Two units
// are Commensurable exactly when their Measure is the same.
func (u *Unit) Measure() string {
	m := u.Canonical()
	arbitrary := u.arbitrary()
	for _, code := range slices.Sorted(maps.Keys(arbitrary)) {
		m += "." + code + strconv.Itoa(arbitrary[code])
	}
	return m
}

// Display returns the unit with the names of its parts: "(milligram) / (deciliter)". Annotations
// are 1, parentheses are left out.
func (u *Unit) Display() string {
	var b strings.Builder
	for i := range u.components {
		c := &u.components[i]
		switch {
		case c.op == opDivide && i == 0:
			b.WriteString("/ ")
		case c.op == opDivide:
			b.WriteString(" / ")
		case c.op == opMultiply:
			b.WriteString(" * ")
		}
		if c.atom == nil {
			b.WriteString(c.number.String())
			continue
		}
		b.WriteByte('(')
		if c.prefix != nil {
			b.WriteString(c.prefix.name)
		}
		b.WriteString(c.atom.name)
		if c.exponent != 1 {
			b.WriteString(" ^ ")
			b.WriteString(strconv.Itoa(c.exponent))
		}
		b.WriteByte(')')
	}
	return b.String()
}

// Property returns the kind of quantity ("mass") in the published table of a unit that is one
// symbol with an exponent of 1, or "" for other units.
func (u *Unit) Property() string {
	if c := u.single(); c != nil && c.power == 1 {
		return c.atom.property
	}
	return ""
}

// single returns the only symbol of a unit that has no other components except annotations.
func (u *Unit) single() *component {
	var found *component
	for i := range u.components {
		switch c := &u.components[i]; {
		case c.annotation:
		case c.atom == nil || found != nil:
			return nil
		default:
			found = c
		}
	}
	return found
}

// Special reports whether the unit contains a special unit: a scale that is not proportional to
// its canonical unit.
func (u *Unit) Special() bool {
	for i := range u.components {
		if a := u.components[i].atom; a != nil && a.special {
			return true
		}
	}
	return false
}

// arbitrary returns the powers of the arbitrary units.
func (u *Unit) arbitrary() map[string]int {
	var m map[string]int
	for i := range u.components {
		if c := &u.components[i]; c.atom != nil && c.atom.arbitrary {
			if m == nil {
				m = map[string]int{}
			}
			if m[c.atom.code] += c.power; m[c.atom.code] == 0 {
				delete(m, c.atom.code)
			}
		}
	}
	return m
}
