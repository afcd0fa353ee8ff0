package r4

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// ErrDecimal is returned for text that is not a decimal, or one too long to compute with.
var ErrDecimal = errors.New("malformed decimal")

const (
	maxDecimalText     = 1024
	maxDecimalExponent = 1024
)

// Decimal is a FHIR decimal. It keeps the literal, because 1.50 and 1.5 are equal but
// differ in precision, which must survive (R4 datatypes, decimal).
type Decimal struct{ literal string }

// ParseDecimal reads a JSON number. Literals of more than 1024 characters and
// exponents beyond ±1024 are refused. Errors wrap ErrDecimal.
func ParseDecimal(s string) (Decimal, error) {
	if len(s) > maxDecimalText {
		return Decimal{}, fmt.Errorf("%w: %d characters", ErrDecimal, len(s))
	}
	if !isNumber(s) {
		return Decimal{}, fmt.Errorf("%w: %q", ErrDecimal, s)
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxDecimalExponent || e < -maxDecimalExponent {
			return Decimal{}, fmt.Errorf("%w: exponent of %q", ErrDecimal, s)
		}
	}
	return Decimal{s}, nil
}

// String returns the literal as it was read; "0" for the zero Decimal.
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

// Cmp compares by value: -1 when d is less than e, 0 when equal, 1 when greater.
func (d Decimal) Cmp(e Decimal) int { return d.Rat().Cmp(e.Rat()) }
