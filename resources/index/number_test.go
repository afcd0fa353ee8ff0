package index

import (
	"errors"
	"testing"
	"time"

	"github.com/roget-health/roget/resources/definitions"
)

func number(t *testing.T, literal string) Number {
	t.Helper()
	n, err := ParseNumber(literal)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNumberAsked(t *testing.T) {
	for _, c := range []struct {
		prefix       Prefix
		literal      string
		low, high    string
		below, above string // are not within
	}{
		// The first three are the examples of R4.
		{Equal, "100", "99.5", "100.4999", "99.4999", "100.5"},
		{Equal, "100.00", "99.995", "100.00499", "99.99499", "100.005"},
		{Equal, "1e2", "95", "104.999", "94.999", "105"},
		{Equal, "5.4e0", "5.35", "5.4499", "5.3499", "5.45"},
		{Equal, "5.40e-3", "0.00535", "0.00544999", "0.0053499", "0.00545"},
		{NotEqual, "-5", "-5.5", "-4.51", "-5.51", "-4.5"},
		{Equal, "0.010", "0.0095", "0.010499", "0.00949", "0.0105"},
		{Equal, "0", "-0.5", "0.4999", "-0.501", "0.5"},
		{Greater, "100", "100", "100.00", "99.9999", "100.0001"},
		{StartsAfter, "1e2", "100", "1E+2", "99.9999", "100.0001"},
		{Approximately, "100", "90", "109.999", "89.999", "110"},
		{Approximately, "3", "2.5", "3.4999", "2.4999", "3.5"},
		{Approximately, "-100", "-110", "-90.001", "-110.001", "-90"},
	} {
		s, err := NumberAsked(c.prefix, c.literal)
		if err != nil {
			t.Errorf("%s: %v", c.literal, err)
			continue
		}
		for _, in := range []string{c.low, c.high} {
			if n := number(t, in); n < s.Low || n >= s.High {
				t.Errorf("%v%s: %s is not within", c.prefix, c.literal, in)
			}
		}
		for _, out := range []string{c.below, c.above} {
			if n := number(t, out); n >= s.Low && n < s.High {
				t.Errorf("%v%s: %s is within", c.prefix, c.literal, out)
			}
		}
	}
	for _, literal := range []string{"", "x", "1,5", "1e", "--1", "+-1", "0x1", "NaN", "1e9999", " 1"} {
		if _, err := NumberAsked(Equal, literal); !errors.Is(err, ErrNumber) {
			t.Errorf("%q: %v", literal, err)
		}
	}
}

func TestQuantityAsked(t *testing.T) {
	x := NewExtractor(definitions.R4())
	for _, c := range []struct {
		prefix            Prefix
		literal, code     string
		value, unit       string
		holds             bool
		measureOfBothSame bool
	}{
		{Equal, "5.4", "mg", "0.0054", "g", true, true},
		{Equal, "5.4", "mg", "5.44", "mg", true, true},
		{Equal, "5.4", "mg", "5.45", "mg", false, true},
		{Greater, "5.4", "mg", "0.0054", "g", false, true},
		{GreaterEqual, "5.4", "mg", "0.0054", "g", true, true},
		{Greater, "1", "[in_i]", "2.54", "cm", false, true},
		{GreaterEqual, "1", "[in_i]", "2.54", "cm", true, true},
		{Less, "60", "/min", "1", "/s", false, true},
		{LessEqual, "60", "/min", "1", "/s", true, true},
		{Equal, "98.6", "[degF]", "37", "Cel", true, true},
		{Equal, "37", "Cel", "310.15", "K", true, true},
		{Less, "140", "mm[Hg]", "18", "kPa", true, true},
		{Equal, "5", "mg", "5", "mL", false, false},
		{Equal, "5", "[iU]", "5", "[arb'U]", false, false},
	} {
		asked, measure, err := x.QuantityAsked(c.prefix, c.literal, c.code)
		if err != nil || measure == "" {
			t.Errorf("%s %s: %q, %v", c.literal, c.code, measure, err)
			continue
		}
		value, unit := x.convertSpan(amount{low: c.value, high: c.value, code: c.unit})
		if same := unit == measure; same != c.measureOfBothSame {
			t.Errorf("%s and %s: %s, %s", c.code, c.unit, measure, unit)
		}
		if got := unit == measure && asked.Holds(c.prefix, value); got != c.holds {
			t.Errorf("%v%s %s: %s %s: %v", c.prefix, c.literal, c.code, c.value, c.unit, got)
		}
	}
	for _, p := range []Prefix{Equal, Greater} {
		if _, unit, err := x.QuantityAsked(p, "5", "no unit"); unit != "" || err != nil {
			t.Errorf("%v: %q, %v", p, unit, err)
		}
		if _, unit, err := x.QuantityAsked(p, "2000", "B[V]"); unit != "" || err != nil { // 10^1000 volts
			t.Errorf("%v: %q, %v", p, unit, err)
		}
	}
	if _, _, err := x.QuantityAsked(Equal, "five", "mg"); !errors.Is(err, ErrNumber) {
		t.Error(err)
	}
}

func TestDateAsked(t *testing.T) {
	now := time.Date(2024, 1, 11, 0, 0, 0, 0, time.UTC)
	for date, days := range map[string]Span[int]{"2024-01-01": {-11, -8}, "2024-01-11": {0, 1}, "2024-01-21": {9, 12}} {
		want := Span[int64]{now.AddDate(0, 0, days.Low).UnixMilli(), now.AddDate(0, 0, days.High).UnixMilli()}
		if s, err := DateAsked(Approximately, date, now); err != nil || s != want {
			t.Errorf("%s: %v, %v, want %v", date, s, err, want)
		}
	}
	if s, err := DateAsked(Equal, "2024", now); err != nil || s.High-s.Low != 366*day {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := DateAsked(Equal, "today", now); !errors.Is(err, ErrDate) {
		t.Error(err)
	}
}

func TestCutPrefix(t *testing.T) {
	for _, c := range []struct {
		text, rest string
		prefix     Prefix
	}{
		{"ge2020", "2020", GreaterEqual},
		{"2020", "2020", Equal},
		{"eb5", "5", EndsBefore},
		{"ne-5", "-5", NotEqual},
		{"ge", "ge", Equal},
		{"xx5", "xx5", Equal},
	} {
		if p, rest := CutPrefix(c.text); p != c.prefix || rest != c.rest {
			t.Errorf("%s: %v %s", c.text, p, rest)
		}
	}
}
