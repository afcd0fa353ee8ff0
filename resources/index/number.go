package index

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// A Number is a decimal number encoded so that bytes compare like numbers: Numbers are compared
// with <, and equal numbers are equal regardless of their digits (1.50 and 1.5). It has up to 34
// significant digits; longer numbers are rounded.
//
//	sign (1 negative, 2 zero, 3 positive) | exponent + 32768 (2 bytes) | two digits and 1 a byte …
//
// The exponent is that of 0.ddd × 10^exponent. In a negative number everything after the sign is
// complemented, and 0xFF ends it.
type Number string

// The bounds of all Numbers.
const (
	Least    Number = "\x00" // less than every number
	Greatest Number = "\xff" // greater than every number
)

// ErrNumber is returned for text that is not a decimal, and for one that is too long.
var ErrNumber = errors.New("malformed number")

const (
	maxDigits = 34

	signNegative = 1
	signZero     = 2
	signPositive = 3

	exponentBias = 1 << 15
)

// ParseNumber parses a decimal in the form of JSON, which may begin with a sign. Its errors are
// ErrNumber.
func ParseNumber(literal string) (Number, error) {
	digits, exponent, negative, err := scan(literal)
	if err != nil {
		return "", err
	}
	var buf [3 + maxDigits/2 + 1]byte
	return Number(appendNumber(buf[:0], digits, exponent, negative)), nil
}

// Exactly returns the span of one number.
func Exactly(n Number) Span[Number] { return Span[Number]{n, n.next()} }

// next returns the least byte string greater than n; no Number lies between.
func (n Number) next() Number { return n + "\x00" }

// single reports whether a span contains one number.
func single(s Span[Number]) bool {
	return len(s.High) == len(s.Low)+1 && s.High[:len(s.Low)] == s.Low && s.High[len(s.Low)] == 0
}

// scan parses a literal: digits without leading and trailing zeros, to be read as 0.ddd ×
// 10^exponent. Zero has no digits. digits has capacity for maxDigits after rounding.
func scan(literal string) (digits []byte, exponent int, negative bool, err error) {
	unsigned, plus := strings.CutPrefix(literal, "+")
	d, err := r4.ParseDecimal(unsigned)
	if err != nil || plus && unsigned[0] == '-' {
		return nil, 0, false, fmt.Errorf("%w: %q", ErrNumber, clip(literal))
	}
	s := d.String()
	if s[0] == '-' {
		negative, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent, s = exponentOf(s[i+1:]), s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	exponent += len(whole)
	digits = make([]byte, 0, len(whole)+len(fraction)+1)
	digits = append(append(digits, whole...), fraction...)
	return normalize(digits, exponent, negative)
}

// exponentOf parses the digits after the e of a valid literal.
func exponentOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// normalize removes leading and trailing zeros and rounds to maxDigits, half away from zero.
func normalize(digits []byte, exponent int, negative bool) ([]byte, int, bool, error) {
	for len(digits) > 0 && digits[0] == '0' {
		digits, exponent = digits[1:], exponent-1
	}
	if len(digits) > maxDigits {
		up := digits[maxDigits] >= '5'
		digits = digits[:maxDigits]
		for i := maxDigits - 1; up; i-- {
			if i < 0 {
				digits, exponent = append(digits[:0], '1'), exponent+1
				break
			}
			if up = digits[i] == '9'; up {
				digits[i] = '0'
			} else {
				digits[i]++
			}
		}
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits, exponent, negative, nil
}

// appendNumber appends the bytes of a Number.
func appendNumber(dst, digits []byte, exponent int, negative bool) []byte {
	if len(digits) == 0 {
		return append(dst, signZero)
	}
	flip, sign := byte(0), byte(signPositive)
	if negative {
		flip, sign = 0xff, signNegative
	}
	e := uint16(exponent + exponentBias)
	dst = append(dst, sign, byte(e>>8)^flip, byte(e)^flip)
	for i := 0; i < len(digits); i += 2 {
		pair := (digits[i]-'0')*10 + 1
		if i+1 < len(digits) {
			pair += digits[i+1] - '0'
		}
		dst = append(dst, pair^flip)
	}
	if negative {
		dst = append(dst, 0xff)
	}
	return dst
}

// numberOf returns the Number nearest to a rational.
func numberOf(r *big.Rat) Number {
	if r.Sign() == 0 {
		return Number([]byte{signZero})
	}
	// 10^shift scales the number to at least maxDigits + 1 digits before the point.
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	shift := maxDigits + 2 - (num.BitLen()-den.BitLen())*30103/100000
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(shift, -shift))), nil)
	if shift >= 0 {
		num.Mul(num, ten)
	} else {
		den = new(big.Int).Mul(den, ten)
	}
	q, rest := num.QuoRem(num, den, new(big.Int))
	text := q.Append(nil, 10)
	exponent := len(text) - shift
	if rest.Sign() != 0 { // so that rounding sees that it is more than a half
		text = append(text, '1')
	}
	digits, exponent, negative, _ := normalize(text, exponent, r.Sign() < 0)
	return Number(appendNumber(nil, digits, exponent, negative))
}

// clip shortens a value for a message.
func clip(s string) string {
	const limit = 100
	if len(s) <= limit {
		return s
	}
	return s[:limit] + "…"
}

// NumberAsked returns the numbers that a search value matches. With Equal, NotEqual and
// Approximately they are the numbers that round to its digits: 100 is 99.5 <= x < 100.5. With an
// exponent, zeros at the end of the digits do not count, and there is at least one decimal, as in
// R4's examples: 1e2 is 95 <= x < 105, and 5.40e-3 is 0.0054 ± 0.00005. Approximately widens
// the span to a tenth of the number on each side if that is more. Other prefixes use the number
// itself. The error is ErrNumber.
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

// rounded reports whether a prefix rounds a number to its digits.
func rounded(p Prefix) bool { return p == Equal || p == NotEqual || p == Approximately }

// around returns the bounds of what rounds to the digits of a literal.
func around(p Prefix, literal string) (low, high *big.Rat) {
	r, _ := rational(literal)
	mantissa, power := literal, 0
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, power = literal[:i], exponentOf(literal[i+1:])
		if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		mantissa = strings.TrimRight(mantissa, "0")
		if strings.HasSuffix(mantissa, ".") {
			mantissa += "0"
		}
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
