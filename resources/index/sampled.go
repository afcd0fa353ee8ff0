package index

import (
	"math/big"
	"strings"

	"github.com/roget-health/roget/resources/document"
)

// sampled returns the span from the least to the greatest of a series of samples, in the unit
// of its origin. E, L and U in the data stand for no number.
func sampled(v document.Value) (amount, bool) {
	a, ok := quantity(v.Get("origin"))
	origin, ok2 := rational(a.low)
	if !ok || !ok2 {
		return amount{}, false
	}
	factor := big.NewRat(1, 1)
	if f, ok := rational(v.Get("factor").Text()); ok {
		factor = f
	}
	least, greatest := "", ""
	var low, high Number
	for literal := range strings.FieldsSeq(v.Get("data").Text()) {
		n, err := ParseNumber(literal)
		if err != nil {
			continue
		}
		if least == "" || n < low {
			least, low = literal, n
		}
		if greatest == "" || n > high {
			greatest, high = literal, n
		}
	}
	from, ok1 := rational(least)
	to, ok2 := rational(greatest)
	if !ok1 || !ok2 {
		return amount{}, false
	}
	place := func(r *big.Rat) *big.Rat { return r.Add(r.Mul(r, factor), origin) }
	if from, to = place(from), place(to); from.Cmp(to) > 0 {
		from, to = to, from
	}
	a.low, a.high, a.above, a.below = decimal(from), decimal(to), false, false
	return a, true
}

// decimal writes a number that has an end as a decimal.
func decimal(r *big.Rat) string {
	n, exact := r.FloatPrec()
	if !exact {
		n = maxDigits
	}
	return r.FloatString(n)
}
