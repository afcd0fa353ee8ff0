package search

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/r4"
)

// parseNumber reads a number with its range (https://hl7.org/fhir/R4/search.html#number): half
// a unit of the last digit to each side, or a tenth of the value with Approximately.
func parseNumber(text string, prefix index.Prefix) (Number, bool) {
	if _, err := r4.ParseDecimal(text); err != nil {
		return Number{}, false
	}
	digits, exponent := significand(text)
	n := Number{Text: text, Value: float(digits, exponent)}
	margin := big.NewInt(5)
	switch {
	case prefix == index.Approximately: // a tenth of the digits, one place further down
		margin = new(big.Int).Abs(digits)
	case strings.ContainsAny(text, "eE") && len(digits.Text(10)) == 1:
		// The specification reads 1e2 as 95 <= x < 105.
		digits, exponent = new(big.Int).Mul(digits, big.NewInt(10)), exponent-1
	}
	tens := new(big.Int).Mul(digits, big.NewInt(10))
	n.Low = float(new(big.Int).Sub(tens, margin), exponent-1)
	n.High = float(new(big.Int).Add(tens, margin), exponent-1)
	return n, true
}

// significand divides a decimal literal into its digits and the power of ten of the last.
func significand(text string) (digits *big.Int, exponent int) {
	mantissa := text
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, _ = new(big.Int).SetString(whole+fraction, 10)
	return digits, exponent - len(fraction)
}

// float gives the number nearest to digits times ten to the exponent: the same as that of any
// other way to write it.
func float(digits *big.Int, exponent int) float64 {
	f, _ := strconv.ParseFloat(digits.String()+"e"+strconv.Itoa(exponent), 64)
	return f
}

// parseQuantity reads number, number|system|code or number||code (https://hl7.org/fhir/R4/search.html#quantity).
func parseQuantity(a *Alternative, raw string) string {
	const form = "a quantity is number, number|system|code or number||code, such as 5.4|http://unitsofmeasure.org|mg"
	parts := cut(raw, '|')
	prefix, text := index.CutPrefix(parts[0])
	n, ok := parseNumber(text, prefix)
	if !ok || len(parts) == 2 || len(parts) > 3 {
		return form
	}
	a.Prefix, a.Number = prefix, n
	if len(parts) == 1 {
		return ""
	}
	a.Quantity = Unit{System: unescape(parts[1]), Code: unescape(parts[2])}
	if a.Quantity.Code == "" && a.Quantity.System == "" {
		return form
	}
	if a.Quantity.System == ucum.URL && a.Quantity.Code != "" {
		a.Quantity.CanonicalUnit, a.Quantity.Canonical = canonical(n, a.Quantity.Code)
	}
	return ""
}

// canonical converts a number of a unit of UCUM, and its range, to the canonical unit; ""
// where that can't be done.
func canonical(n Number, code string) (string, Number) {
	from, err := ucum.Parse(code)
	if err != nil {
		return "", Number{}
	}
	name := from.Canonical()
	to, err := ucum.Parse(name)
	if err != nil || !ucum.Commensurable(from, to) {
		return "", Number{}
	}
	out := Number{Text: n.Text}
	for _, c := range [...]struct {
		from float64
		to   *float64
	}{{n.Value, &out.Value}, {n.Low, &out.Low}, {n.High, &out.High}} {
		r, ok := new(big.Rat).SetString(strconv.FormatFloat(c.from, 'g', -1, 64))
		if !ok {
			return "", Number{}
		}
		v, err := ucum.Convert(r, from, to)
		if err != nil {
			return "", Number{}
		}
		*c.to, _ = v.Float64()
	}
	return name, out
}
