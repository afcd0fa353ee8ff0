package index

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/roget-health/roget/resources/r4"
)

// Number is a decimal number in bytes that compare as numbers do: Numbers are compared
// with <, and equal numbers are equal whatever their digits (1.50 and 1.5). It has 34
// significant digits; what is longer is rounded.
//
//	sign (1 negative, 2 zero, 3 positive) | exponent + 32768 (2 bytes) | two digits and 1 a byte …
//
// The exponent is that of 0.ddd × 10^exponent. Of a negative number everything behind the
// sign is complemented, and 0xFF ends it.
type Number string

// The ends of what Numbers there are.
const (
	Least    Number = "\x00" // less than every number
	Greatest Number = "\xff" // greater than every number
)

// ErrNumber is returned for text that is not a decimal, or one too long.
var ErrNumber = errors.New("malformed number")

const (
	maxDigits = 34

	signNegative = 1
	signZero     = 2
	signPositive = 3

	exponentBias = 1 << 15
)

// ParseNumber reads a decimal as JSON has it, with a sign allowed in front. Its errors are ErrNumber.
func ParseNumber(literal string) (Number, error) {
	digits, exponent, negative, err := scan(literal)
	if err != nil {
		return "", err
	}
	var buf [3 + maxDigits/2 + 1]byte
	return Number(appendNumber(buf[:0], digits, exponent, negative)), nil
}

// Exactly is the span of one number.
func Exactly(n Number) Span[Number] { return Span[Number]{n, n.next()} }

// next is the least byte string greater than n, so that no Number lies between.
func (n Number) next() Number { return n + "\x00" }

// single reports that a span is that of one number.
func single(s Span[Number]) bool {
	return len(s.High) == len(s.Low)+1 && s.High[:len(s.Low)] == s.Low && s.High[len(s.Low)] == 0
}

// scan reads a literal: digits without zeros at the ends, to be read 0.ddd × 10^exponent.
// Zero has no digits. digits has room for maxDigits after rounding.
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

// exponentOf reads the digits behind the e of a literal that was checked.
func exponentOf(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// normalize takes zeros away at the ends and rounds to maxDigits, half away from zero.
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

// numberOf is the Number next to a rational one.
func numberOf(r *big.Rat) Number {
	if r.Sign() == 0 {
		return Number([]byte{signZero})
	}
	// 10^shift brings the number to maxDigits + 1 or + 2 digits before the point.
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	shift := maxDigits + 1 - (num.BitLen()-den.BitLen())*30103/100000
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

// clip cuts a value for a message.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
