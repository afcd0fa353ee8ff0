package ucum

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

func TestConvertExactly(t *testing.T) {
	for _, c := range []struct{ value, from, to, want string }{
		{"1", "kg", "g", "1000"},
		{"180", "mg/dL", "g/L", "1.8"},
		{"1", "[in_i]", "cm", "2.54"},
		{"1", "[lb_av]", "g", "453.59237"},
		{"90", "/min", "Hz", "1.5"},
		{"37", "Cel", "[degF]", "98.6"},
		{"98.6", "[degF]", "Cel", "37"},
		{"0", "K", "Cel", "-273.15"},
		{"-40", "Cel", "[degF]", "-40"},
		{"80", "[degRe]", "Cel", "100"},
		{"1000", "mCel", "Cel", "1"},
		{"2", "k[iU]/L", "[iU]/mL", "2"},
		{"5", "{beats}", "{pulses}", "5"},
		{"5", "%", "1", "0.05"},
		{"5", "", "1", "5"},
		{"2", "{score}", "", "2"},
		{"1", "mm[Hg]", "Pa", "133.322"},
	} {
		got, err := Convert(rational(t, c.value), parse(t, c.from), parse(t, c.to))
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Cmp(rational(t, c.want)) != 0 {
			t.Errorf("%s %s = %s %s, want %s", c.value, c.from, got.RatString(), c.to, c.want)
		}
	}
}

func TestConvertScales(t *testing.T) {
	for _, c := range []struct {
		value    string
		from, to string
		want     float64
	}{
		{"7", "[pH]", "nmol/L", 100},
		{"100", "nmol/L", "[pH]", 7},
		{"2", "B", "1", 100},
		{"20", "dB", "1", 100},
		{"6", "B[SPL]", "mPa", 20},
		{"1", "Np", "1", math.E},
		{"3", "B[W]", "kW", 1},
		{"10", "bit_s", "1", 1024},
		{"100", "[p'diop]", "rad", math.Pi / 4},
		{"3", "[hp'_C]", "10*-6", 1},
		{"2", "[m/s2/Hz^(1/2)]", "m2/s4/Hz", 4},
	} {
		got, err := Convert(rational(t, c.value), parse(t, c.from), parse(t, c.to))
		if err != nil {
			t.Error(err)
			continue
		}
		if f, _ := got.Float64(); math.Abs(f-c.want) > 1e-9*math.Abs(c.want) {
			t.Errorf("%s %s = %g %s, want %g", c.value, c.from, f, c.to, c.want)
		}
	}
}

func TestConvertErrors(t *testing.T) {
	for _, c := range []struct {
		value, from, to string
		want            error
	}{
		{"1", "kg", "m", ErrNotCommensurable},
		{"1", "[iU]", "[arb'U]", ErrNotCommensurable}, // arbitrary units are like nothing else
		{"1", "[iU]", "1", ErrNotCommensurable},
		{"1", "Cel/h", "K/h", ErrNotConvertible},
		{"1", "K2", "Cel2", ErrNotConvertible},
		{"0", "mol/L", "[pH]", ErrNotConvertible}, // no logarithm
		{"-1", "W", "B[W]", ErrNotConvertible},
		{"-400", "[pH]", "mol/L", ErrNotConvertible},
	} {
		if got, err := Convert(rational(t, c.value), parse(t, c.from), parse(t, c.to)); !errors.Is(err, c.want) {
			t.Errorf("%s %s in %s: %v, %v; want %v", c.value, c.from, c.to, got, err, c.want)
		}
	}
	if Commensurable(parse(t, "[iU]/L"), parse(t, "[IU]/L")) {
		t.Error("arbitrary units of two symbols are commensurable")
	}
	if !Commensurable(parse(t, "m[iU]/L"), parse(t, "[iU]/mL")) {
		t.Error("an arbitrary unit is not commensurable with itself")
	}
}

// drawUnit makes a product of simple units, in text and as a naive computation in
// floating point: a second opinion on the parser.
func drawUnit(t *rapid.T, label string) (code string, factor float64, dim map[string]int) {
	symbols := []struct {
		code   string
		factor float64
		dim    map[string]int
	}{
		{"m", 1, map[string]int{"m": 1}},
		{"km", 1e3, map[string]int{"m": 1}},
		{"mg", 1e-3, map[string]int{"g": 1}},
		{"L", 1e-3, map[string]int{"m": 3}},
		{"min", 60, map[string]int{"s": 1}},
		{"N", 1e3, map[string]int{"g": 1, "m": 1, "s": -2}},
		{"%", 1e-2, nil},
		{"7", 7, nil},
		{"{x}", 1, nil},
	}
	factor, dim = 1, map[string]int{}
	for i := range rapid.IntRange(1, 5).Draw(t, label) {
		s := symbols[rapid.IntRange(0, len(symbols)-1).Draw(t, "symbol")]
		n := 1
		text := s.code
		if s.dim != nil && rapid.Bool().Draw(t, "power") {
			n = rapid.IntRange(-3, 3).Draw(t, "exponent")
			text = fmt.Sprint(text, n)
		}
		op := "."
		if rapid.Bool().Draw(t, "divide") {
			op = "/"
			n = -n
		}
		if i > 0 || op == "/" {
			code += op
		}
		if rapid.Bool().Draw(t, "parentheses") {
			text = "(" + text + ")"
		}
		code += text
		factor *= math.Pow(s.factor, float64(n))
		for b, e := range s.dim {
			dim[b] += n * e
		}
	}
	return code, factor, dim
}

func TestParseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code, factor, dim := drawUnit(t, "components")
		u, err := Parse(code)
		if err != nil {
			t.Fatal(err)
		}
		f, err := u.Factor()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := f.Float64(); math.Abs(got-factor) > 1e-9*factor {
			t.Fatalf("%s: factor %g, want %g", code, got, factor)
		}
		for i, base := range u.table.bases {
			if u.dimension()[i] != dim[base] {
				t.Fatalf("%s: dimension %v, want %v", code, u.dimension(), dim)
			}
		}
		// There and back again is where it began.
		canonical, err := Parse(u.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		value := big.NewRat(rapid.Int64Range(-1000, 1000).Draw(t, "value"), 7)
		there, err := Convert(value, u, canonical)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Convert(there, canonical, u)
		if err != nil || back.Cmp(value) != 0 {
			t.Fatalf("%s: %s became %s, %v", code, value, back, err)
		}
	})
}
