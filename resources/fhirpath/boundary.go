package fhirpath

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/resources/document"
)

// boundary returns lowBoundary or highBoundary: the least or greatest value that a number, a date or
// a time stands for, with a number of digits. By default these are 8 digits after the point, or all
// of a date, a dateTime or a time. A Period has the boundaries of its start and end.
//
// Source: https://hl7.org/fhirpath (draft), boundary functions.
func boundary(high bool) builtin {
	return func(s *Scope, in Item, a []Item) (Item, bool, error) {
		if in.TypeName() == "Period" {
			end := "start"
			if high {
				end = "end"
			}
			in = Item{Value: in.Value.Get(end), Type: s.tables.Type("dateTime")}
		}
		digits := -1
		if len(a) > 0 {
			var err error
			if digits, err = strconv.Atoi(a[0].Text()); err != nil {
				return Item{}, false, errors.New("a number of digits is not a whole number")
			}
			if digits < 0 {
				return Item{}, false, nil
			}
		}
		switch {
		case in.Kind() == document.Number:
			return decimalBoundary(in, digits, high)
		case in.isMoment():
			text, found := momentBoundary(in, digits, high)
			return momentItem(text), found, nil
		case in.Kind() == document.Absent:
			return Item{}, false, nil
		}
		return Item{}, false, errors.New("only numbers, dates, times and Periods have boundaries")
	}
}

// decimalBoundary returns a number less or plus half of its last digit, rounded away from it.
func decimalBoundary(in Item, digits int, high bool) (Item, bool, error) {
	z, err := number(in)
	if err != nil || digits > 28 {
		return Item{}, false, err
	}
	if digits < 0 {
		digits = 8
	}
	power := func(n int) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	half := new(big.Rat).Quo(big.NewRat(1, 2), power(decimals(in.Text())))
	if !high {
		half.Neg(half)
	}
	z.Mul(z.Add(z, half), power(digits))
	whole := new(big.Int).Div(z.Num(), z.Denom()) // towards less
	if high && !z.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return computed(document.Number, z.Quo(z.SetInt(whole), power(digits)).FloatString(digits)), true, nil
}

// momentBoundary returns a boundary with the digits of its parts: 8 have a date, 17 a dateTime, and 9
// a time.
func momentBoundary(in Item, digits int, high bool) (string, bool) {
	m, ok := parseMoment(in.Text())
	if !ok {
		return "", false
	}
	p := m.parts
	first, most := 0, 17
	switch {
	case m.clock:
		first, most = 3, 9
	case in.TypeName() == "date" || in.Type == nil && m.count <= 3 && !m.zoned:
		most = 8
	}
	if digits < 0 {
		digits = most
	}
	for i := max(m.count, first); i < 5; i++ {
		p[i] = [...]int{1, 1, 1, 0, 0}[i]
		if high {
			p[i] = [...]int{9999, 12, 0, 23, 59}[i]
		}
		if high && i == 2 {
			p[i] = time.Date(p[0], time.Month(p[1]+1), 0, 0, 0, 0, 0, time.UTC).Day()
		}
	}
	seconds, fill := "", "0"
	if high {
		fill = "9"
	}
	if m.count == 6 {
		clock := in.Text()[strings.IndexByte(in.Text(), ':')+len(":mm:"):]
		if end := strings.IndexAny(clock, "Z+-"); end >= 0 {
			clock = clock[:end]
		}
		seconds = strings.Replace(clock, ".", "", 1)
	} else if seconds = "00"; high {
		seconds = "59"
	}
	seconds += strings.Repeat(fill, max(0, 5-len(seconds)))
	seconds = seconds[:2] + "." + seconds[2:]
	date, clock := fmt.Sprintf("%04d-%02d-%02d", p[0], p[1], p[2]), fmt.Sprintf("%02d:%02d:", p[3], p[4])+seconds
	if m.clock {
		end, found := map[int]int{2: 2, 4: 5, 6: 8, 9: len(clock)}[digits]
		return clock[:end], found
	}
	if end, found := map[int]int{4: 4, 6: 7, 8: 10}[digits]; found {
		return date[:end], true
	}
	end, found := map[int]int{10: 2, 12: 5, 14: 8, 17: len(clock)}[digits]
	zone := "+14:00"
	switch {
	case m.zoned:
		zone = in.Text()[strings.LastIndexAny(in.Text(), "Z+-"):]
	case high:
		zone = "-12:00"
	}
	return date + "T" + clock[:end] + zone, found && most == 17
}
