package index

import (
	"math/big"
	"strings"
)

// NumberAsked returns the numbers that a value of a search asks for. Equal, NotEqual and
// Approximately mean those that round to the digits given: 100 is 99.5 <= x < 100.5. With an
// exponent one digit more counts, as in R4's example: 1e2 is 95 <= x < 105. Approximately
// widens them to a tenth of the number to each side when that is more. Other prefixes mean
// the number itself. The error is ErrNumber.
//
// Source: https://hl7.org/fhir/R4/search.html#number.
func NumberAsked(p Prefix, literal string) (Span[Number], error) {
	n, err := ParseNumber(literal)
	if err != nil {
		return Span[Number]{}, err
	}
	if !rounded(p) {
		return Exactly(n), nil
	}
	low, high := around(p, literal)
	return Span[Number]{numberOf(low), numberOf(high)}, nil
}

// QuantityAsked returns what NumberAsked does in the canonical unit of a unit of UCUM, with that
// unit; "" when the code is no unit, or one that can't be converted.
func (x *Extractor) QuantityAsked(p Prefix, literal, code string) (asked Span[Number], unit string, err error) {
	if _, err := ParseNumber(literal); err != nil {
		return Span[Number]{}, "", err
	}
	u := x.units.of(code)
	if u.measure == "" {
		return Span[Number]{}, "", nil
	}
	if !rounded(p) {
		n, ok := u.convert(literal)
		if !ok {
			return Span[Number]{}, "", nil
		}
		return Exactly(n), u.measure, nil
	}
	low, high := around(p, literal)
	low, ok1 := u.canonical(low)
	high, ok2 := u.canonical(high)
	asked = Span[Number]{numberOf(low), numberOf(high)}
	if !ok1 || !ok2 || asked.Low >= asked.High {
		return Span[Number]{}, "", nil
	}
	return asked, u.measure, nil
}

// rounded reports that a prefix takes a number by its digits.
func rounded(p Prefix) bool { return p == Equal || p == NotEqual || p == Approximately }

// around returns the ends of what rounds to the digits of a literal.
func around(p Prefix, literal string) (low, high *big.Rat) {
	r, _ := rational(literal)
	mantissa, power := literal, 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, power = literal[:i], exponentOf(literal[i+1:])-1
	}
	if i := strings.IndexByte(mantissa, '.'); i >= 0 {
		power -= len(mantissa) - i - 1
	}
	by := scaled(big.NewInt(5), power-1)
	if tenth := new(big.Rat).Mul(r, big.NewRat(1, 10)); p == Approximately && tenth.Abs(tenth).Cmp(by) > 0 {
		by = tenth
	}
	return new(big.Rat).Sub(r, by), new(big.Rat).Add(r, by)
}
