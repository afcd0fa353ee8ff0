package r4

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// ErrDecimal is returned for text that is not a decimal, and for one that is too long.
var ErrDecimal = errors.New("malformed decimal")

const (
	maxDecimalText     = 1024
	maxDecimalExponent = 1024
)

// A Decimal is a FHIR decimal. It keeps the literal, because 1.50 and 1.5 are equal but differ in
// precision, which must be preserved (R4 datatypes, decimal).
type Decimal struct{ literal string }

// ParseDecimal parses a JSON number. It refuses literals of more than 1,024 characters and
// exponents beyond ±1,024. Errors wrap ErrDecimal.
func ParseDecimal(s string) (Decimal, error) {
	if len(s) > maxDecimalText {
		return Decimal{}, fmt.Errorf("%w: %d characters are too many", ErrDecimal, len(s))
	}
	if !isNumber(s) {
		return Decimal{}, fmt.Errorf("%w: %q", ErrDecimal, s)
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxDecimalExponent || e < -maxDecimalExponent {
			return Decimal{}, fmt.Errorf("%w: the exponent of %q is out of range", ErrDecimal, s)
		}
	}
	return Decimal{s}, nil
}

// String returns the literal, "0" for the zero Decimal.
func (d Decimal) String() string {
	if d.literal == "" {
		return "0"
	}
	return d.literal
}

// Rat returns the exact value.
func (d Decimal) Rat() *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		return new(big.Rat)
	}
	return r
}

// Cmp compares by value: it returns -1 if d is less than e, 0 if equal, 1 if greater.
func (d Decimal) Cmp(e Decimal) int { return d.Rat().Cmp(e.Rat()) }
