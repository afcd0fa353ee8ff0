package search

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// parseNumber reads a number (https://hl7.org/fhir/R4/search.html#number). With Equal and
// NotEqual it is a range by the digits given, half a unit of the last to each side: 100 is
// 99.5 <= x < 100.5. With Approximately it is a tenth of the value to each side.
func parseNumber(text string, prefix index.Prefix) (index.Span[index.Number], bool) {
	low, high, ok := bounds(text, prefix)
	if !ok {
		return index.Span[index.Number]{}, false
	}
	return spanOf(low, high)
}

// decimal is digits times ten to the exponent.
type decimal struct {
	digits   *big.Int
	exponent int
}

func (d decimal) String() string { return d.digits.String() + "e" + strconv.Itoa(d.exponent) }

// rat gives the exact value.
func (d decimal) rat() *big.Rat {
	r := new(big.Rat).SetInt(d.digits)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.exponent, -d.exponent))), nil)
	if d.exponent < 0 {
		return r.Quo(r, new(big.Rat).SetInt(ten))
	}
	return r.Mul(r, new(big.Rat).SetInt(ten))
}

// bounds gives the ends of the range that a number stands for: equal for one number.
func bounds(text string, prefix index.Prefix) (low, high decimal, ok bool) {
	if _, err := r4.ParseDecimal(text); err != nil {
		return low, high, false
	}
	d := decimalOf(text)
	margin := big.NewInt(5)
	switch {
	case prefix == index.Approximately: // a tenth of the digits, one place further down
		margin = new(big.Int).Abs(d.digits)
	case prefix != index.Equal && prefix != index.NotEqual:
		return d, d, true
	case strings.ContainsAny(text, "eE") && len(d.digits.Text(10)) == 1:
		// The specification reads 1e2 as 95 <= x < 105.
		d = decimal{new(big.Int).Mul(d.digits, big.NewInt(10)), d.exponent - 1}
	}
	tens := new(big.Int).Mul(d.digits, big.NewInt(10))
	low = decimal{new(big.Int).Sub(tens, margin), d.exponent - 1}
	high = decimal{new(big.Int).Add(tens, margin), d.exponent - 1}
	return low, high, true
}

// decimalOf divides a decimal literal into its digits and the power of ten of the last.
func decimalOf(text string) decimal {
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:]) // r4.ParseDecimal has looked at it
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, _ := new(big.Int).SetString(whole+fraction, 10)
	return decimal{digits, exponent - len(fraction)}
}

// spanOf gives the span between two decimals, or of the one that both are.
func spanOf(low, high decimal) (index.Span[index.Number], bool) {
	from, err := index.ParseNumber(low.String())
	if err != nil {
		return index.Span[index.Number]{}, false
	}
	to, err := index.ParseNumber(high.String())
	if err != nil {
		return index.Span[index.Number]{}, false
	}
	if from == to {
		return index.Exactly(from), true
	}
	return index.Span[index.Number]{Low: from, High: to}, true
}

// parseQuantity reads number, number|system|code or number||code (https://hl7.org/fhir/R4/search.html#quantity).
func parseQuantity(a *Alternative) string {
	const form = "a quantity is number, number|system|code or number||code, such as 5.4|http://unitsofmeasure.org|mg"
	parts := cut(a.Text, '|')
	prefix, text := index.CutPrefix(parts[0])
	low, high, ok := bounds(text, prefix)
	if !ok || len(parts) == 2 || len(parts) > 3 {
		return form
	}
	a.Prefix = prefix
	if a.Number, ok = spanOf(low, high); !ok {
		return form
	}
	if len(parts) == 1 {
		return ""
	}
	a.Unit = Unit{System: unescape(parts[1]), Code: unescape(parts[2])}
	switch {
	case a.Unit.Code == "" && a.Unit.System == "":
		return form
	case a.Unit.System == ucum.URL && a.Unit.Code != "":
		a.Unit.Canonical, a.Unit.CanonicalUnit = canonical(low, high, a.Unit.Code)
	}
	return ""
}

// canonical converts a range from a unit of UCUM to its canonical unit; "" where that can't
// be done.
func canonical(low, high decimal, code string) (index.Span[index.Number], string) {
	unit, err := ucum.Parse(code)
	if err != nil {
		return index.Span[index.Number]{}, ""
	}
	var ends [2]index.Number
	for i, d := range [...]decimal{low, high} {
		r, err := unit.ToCanonical(d.rat())
		if err != nil {
			return index.Span[index.Number]{}, ""
		}
		ends[i] = index.NumberOf(r)
	}
	if ends[0] == ends[1] {
		return index.Exactly(ends[0]), unit.Canonical()
	}
	return index.Span[index.Number]{Low: min(ends[0], ends[1]), High: max(ends[0], ends[1])}, unit.Canonical()
}
