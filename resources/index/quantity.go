package index

import (
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"github.com/roget-health/roget/codesystem/grammar/ucum"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
)

// UCUM is the code system of units that quantities are converted with.
const UCUM = "http://unitsofmeasure.org"

// currencies is the code system of Money.
const currencies = "urn:iso:std:iso:4217"

// QuantityAsked is NumberAsked for a number with a UCUM unit. It returns the span in the canonical
// unit, and that unit, or "" if the code is not a unit or cannot be converted.
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
	if !ok1 || !ok2 {
		return Span[Number]{}, "", nil
	}
	if asked = (Span[Number]{numberOf(low), numberOf(high)}); asked.Low >= asked.High {
		return Span[Number]{}, "", nil
	}
	return asked, u.measure, nil
}

// units caches units of UCUM by code.
type units struct {
	mu    sync.RWMutex
	known map[string]*unit
}

// maxUnits bounds the cached units, to about 10 MB.
const maxUnits = 10_000

// unit is a unit of UCUM.
type unit struct {
	measure string   // the canonical unit, "" if it cannot be converted
	factor  *big.Rat // conversion factor, nil if the scale is not proportional
	parsed  *ucum.Unit

	// If digits is not 0, the factor is digits × 10^exponent.
	digits   uint64
	exponent int
}

// of returns the unit of a code.
func (u *units) of(code string) *unit {
	u.mu.RLock()
	found := u.known[code]
	u.mu.RUnlock()
	if found != nil {
		return found
	}
	found = readUnit(code)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.known == nil || len(u.known) >= maxUnits {
		u.known = map[string]*unit{}
	}
	u.known[code] = found
	return found
}

func readUnit(code string) *unit {
	parsed, err := ucum.Parse(code)
	if err != nil {
		return &unit{}
	}
	n := &unit{measure: parsed.Measure(), parsed: parsed}
	if parsed.Special() {
		return n
	}
	if n.factor, err = parsed.Factor(); err != nil {
		return &unit{}
	}
	if literal := decimal(n.factor); exact(literal, n.factor) {
		if digits, exponent, _, err := scan(literal); err == nil {
			if d, err := strconv.ParseUint(string(digits), 10, 64); err == nil {
				n.digits, n.exponent = d, exponent-len(digits)
			}
		}
	}
	return n
}

// exact reports whether a literal equals a number.
func exact(literal string, r *big.Rat) bool {
	n, ok := rational(literal)
	return ok && n.Cmp(r) == 0
}

// canonical converts a value to the canonical unit.
func (u *unit) canonical(r *big.Rat) (*big.Rat, bool) {
	if u.factor != nil {
		return new(big.Rat).Mul(r, u.factor), true
	}
	c, err := u.parsed.ToCanonical(r)
	return c, err == nil
}

// span returns the numbers between two literals, inclusive; "" for an open end. above excludes low,
// and below excludes high.
func span(low, high string, above, below bool) (Span[Number], bool) {
	if low == high && !above && !below {
		n, err := ParseNumber(low)
		return Exactly(n), err == nil
	}
	s := Span[Number]{Least, Greatest}
	if low != "" {
		n, err := ParseNumber(low)
		if err != nil {
			return s, false
		}
		if s.Low = n; above {
			s.Low = n.next()
		}
	}
	if high != "" {
		n, err := ParseNumber(high)
		if err != nil {
			return s, false
		}
		if s.High = n; !below {
			s.High = n.next()
		}
	}
	return s, (low != "" || high != "") && s.Low < s.High
}

// numberSpan returns the value of a number parameter: a number or a Range.
func numberSpan(item fhirpath.Item) (Span[Number], bool) {
	if item.Kind() != document.Object {
		text := item.Text()
		return span(text, text, false, false)
	}
	return span(item.Value.Get("low").Get("value").Text(), item.Value.Get("high").Get("value").Text(), false, false)
}

// amount is a quantity as in the document, with the literals of its ends.
type amount struct {
	low, high          string
	above, below       bool
	system, code, unit string
}

// quantityOf returns the value of a quantity parameter.
func (x *Extractor) quantityOf(item fhirpath.Item) (Value, bool) {
	a, ok := amountOf(item)
	if !ok {
		return Value{}, false
	}
	v := Value{Kind: Quantity, System: a.system, Code: a.code, Unit: a.unit}
	if v.Number, ok = span(a.low, a.high, a.above, a.below); !ok {
		return Value{}, false
	}
	if a.system == UCUM && a.code != "" {
		v.Canonical, v.CanonicalUnit = x.convertSpan(a)
	}
	return v, true
}

// convertSpan returns the span of an amount in the canonical unit, "" if there is none.
func (x *Extractor) convertSpan(a amount) (Span[Number], string) {
	u := x.units.of(a.code)
	if u.measure == "" {
		return Span[Number]{}, ""
	}
	end := func(literal string, open Number, successor bool) (Number, bool) {
		if literal == "" {
			return open, true
		}
		n, ok := u.convert(literal)
		if ok && successor {
			n = n.next()
		}
		return n, ok
	}
	if a.low == a.high && !a.above && !a.below {
		n, ok := u.convert(a.low)
		if !ok {
			return Span[Number]{}, ""
		}
		return Exactly(n), u.measure
	}
	low, ok1 := end(a.low, Least, a.above)
	high, ok2 := end(a.high, Greatest, !a.below)
	if !ok1 || !ok2 || low >= high {
		return Span[Number]{}, ""
	}
	return Span[Number]{low, high}, u.measure
}

// convert converts a literal to the canonical unit.
func (u *unit) convert(literal string) (Number, bool) {
	digits, exponent, negative, err := scan(literal)
	if err != nil {
		return "", false
	}
	if n, ok := small(digits); ok && u.digits != 0 {
		if over, product := bits.Mul64(n, u.digits); over == 0 {
			var buf [20]byte
			text := strconv.AppendUint(buf[:0], product, 10)
			if product == 0 {
				text = nil
			}
			text, exponent, negative, _ = normalize(text, exponent-len(digits)+u.exponent+len(text), negative)
			return Number(appendNumber(nil, text, exponent, negative)), true
		}
	}
	c, ok := u.canonical(ratio(digits, exponent, negative))
	if !ok {
		return "", false
	}
	return numberOf(c), true
}

// small parses up to 19 digits. No digits are 0.
func small(digits []byte) (n uint64, ok bool) {
	if len(digits) > 19 {
		return 0, false
	}
	for _, d := range digits {
		n = n*10 + uint64(d-'0')
	}
	return n, true
}

// rational parses a literal in the form that ParseNumber accepts.
func rational(literal string) (*big.Rat, bool) {
	digits, exponent, negative, err := scan(literal)
	if err != nil {
		return nil, false
	}
	return ratio(digits, exponent, negative), true
}

// ratio returns the number that scan parsed.
func ratio(digits []byte, exponent int, negative bool) *big.Rat {
	n, _ := new(big.Int).SetString("0"+string(digits), 10)
	if negative {
		n.Neg(n)
	}
	return scaled(n, exponent-len(digits))
}

// scaled returns n × 10^exponent.
func scaled(n *big.Int, exponent int) *big.Rat {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent < 0 {
		return new(big.Rat).SetFrac(n, ten)
	}
	return new(big.Rat).SetInt(ten.Mul(ten, n))
}

// amountOf reads the datatypes of quantities: Quantity and its specialisations, Money, Range and
// SampledData.
func amountOf(item fhirpath.Item) (amount, bool) {
	v := item.Value
	if item.Kind() != document.Object {
		return amount{low: item.Text(), high: item.Text()}, item.Text() != ""
	}
	switch item.TypeName() {
	case "Money":
		value := v.Get("value").Text()
		return amount{low: value, high: value, system: currencies, code: v.Get("currency").Text()}, value != ""
	case "Range":
		low, _ := quantity(v.Get("low"))
		high, _ := quantity(v.Get("high"))
		a := low
		if low.low == "" {
			a = high
		}
		a.low, a.high, a.above, a.below = low.low, high.high, false, false
		// A Range whose ends have different units has no value.
		same := low.low == "" || high.high == "" || low.system == high.system && low.code == high.code
		return a, same && (a.low != "" || a.high != "")
	case "SampledData":
		return sampled(v)
	}
	return quantity(v)
}

// quantity reads a Quantity. A comparator makes it an open span.
func quantity(v document.Value) (a amount, ok bool) {
	value, comparator := "", ""
	for m := range v.Members() {
		switch m.Name() {
		case "value":
			value = m.Text()
		case "comparator":
			comparator = m.Text()
		case "unit":
			a.unit = m.Text()
		case "system":
			a.system = m.Text()
		case "code":
			a.code = m.Text()
		}
	}
	a.low, a.high = value, value
	switch comparator {
	case "<":
		a.low, a.below = "", true
	case "<=":
		a.low = ""
	case ">":
		a.high, a.above = "", true
	case ">=":
		a.high = ""
	}
	return a, value != ""
}

func degrees(v document.Value) (float64, bool) {
	f, err := strconv.ParseFloat(v.Text(), 64)
	return f, err == nil
}

// sampled returns the span from the least to the greatest sample, in the unit of the origin. The
// samples E, L and U have no number and are skipped.
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

// decimal formats a number as a decimal, rounded if it has no finite form.
func decimal(r *big.Rat) string {
	n, exact := r.FloatPrec()
	if !exact {
		n = maxDigits
	}
	return r.FloatString(n)
}
