package fhirpath

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/document"
)

// boundary returns lowBoundary or highBoundary: the least or greatest value that a number, date or time
// stands for, with a number of digits: 8 after the point by default, 8 of a date, 17 of a dateTime, 9 of
// a time. A Period has the boundary of its start or end.
func boundary(high bool) builtin {
	return func(s *Scope, in Item, a []Item) (Item, bool, error) {
		if in.TypeName() == "Period" {
			end := in.Value.Get("start")
			if high {
				end = in.Value.Get("end")
			}
			in = Item{Value: end, Type: s.tables.Type("dateTime")}
		}
		if in.Kind() == document.Absent {
			return in, false, nil
		}
		digits := -1
		if len(a) > 0 {
			digits = 99 // which nothing has
			if n, err := strconv.ParseUint(a[0].Text(), 10, 8); err == nil {
				digits = int(n)
			}
		}
		switch {
		case in.Kind() == document.Number:
			return decimalBoundary(in, digits, high)
		case in.isMoment():
			text := momentBoundary(in, digits, high)
			return momentItem(text), text != "", nil
		}
		return in, false, errors.New("only numbers, dates, times and Periods have boundaries")
	}
}

// decimalBoundary adds half of the last digit to a number, or subtracts it.
func decimalBoundary(in Item, digits int, high bool) (Item, bool, error) {
	z, err := number(in)
	if err != nil || digits > 28 {
		return in, false, err
	}
	if digits < 0 {
		digits = 8
	}
	power := func(n int) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	half := big.NewRat(-1, 2)
	if high {
		half.Neg(half)
	}
	z.Mul(z.Add(z, half.Quo(half, power(decimals(in.Text())))), power(digits))
	whole := new(big.Int).Div(z.Num(), z.Denom()) // towards less
	if high && !z.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return computed(document.Number, z.Quo(z.SetInt(whole), power(digits)).FloatString(digits)), true, nil
}

// momentBoundary completes a date or time. It returns "" if it has no such digits.
func momentBoundary(in Item, digits int, high bool) string {
	text, rest, zone := in.Text(), "0001-01-01T00:00:00.000", "+14:00"
	if high {
		rest, zone = "9999-12-31T23:59:59.999", "-12:00"
	}
	m, ok := parseMoment(text)
	if !ok {
		return ""
	}
	if m.zoned {
		at := strings.LastIndexAny(text, "Z+-")
		text, zone = text[:at], text[at:]
	}
	most := 17
	switch {
	case m.clock:
		text = rest[:len("0001-01-01T")] + text
		if digits >= 0 {
			digits = max(digits+8, 9)
		}
	case in.TypeName() == "date" || in.Type == nil && m.count <= 3:
		most = 8
	}
	if digits < 0 {
		digits = most
	}
	whole := text + rest[min(len(text), len(rest)):]
	if high && m.count == 2 {
		whole = time.Date(m.parts[0], time.Month(m.parts[1]+1), 0, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + rest[len(time.DateOnly):]
	}
	end, found := map[int]int{4: 4, 6: 7, 8: 10, 10: 13, 12: 16, 14: 19, 17: len(whole)}[digits]
	switch {
	case !found || digits > most:
		return ""
	case m.clock:
		return whole[len("0001-01-01T"):end]
	case digits > 8:
		return whole[:end] + zone
	}
	return whole[:end]
}
