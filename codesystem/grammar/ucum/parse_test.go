package ucum

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/packed"
)

func parse(t *testing.T, code string) *Unit {
	t.Helper()
	u, err := Parse(code)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ code, canonical, factor, display string }{
		{"kg", "g", "1000", "(kilogram)"},
		{"mm/s", "m.s-1", "1/1000", "(millimeter) / (second)"},
		{"umol/L", "m-3", "602214076000000000000", "(micromole) / (liter)"},
		{"10*3/uL", "m-3", "1000000000000", "(the number ten for arbitrary powers ^ 3) / (microliter)"},
		{"10*-3", "1", "1/1000", "(the number ten for arbitrary powers ^ -3)"},
		{"m+2", "m2", "1", "(meter ^ 2)"},
		{"cm2", "m2", "1/10000", "(centimeter ^ 2)"},
		{"/h", "s-1", "1/3600", "/ (hour)"},
		{"/h.m", "m.s-1", "1/3600", "/ (hour) * (meter)"},
		{"g/(8.kg.h)", "s-1", "1/28800000", "(gram) / 8 * (kilogram) * (hour)"},
		{"g/(m/s)", "g.m-1.s", "1", "(gram) / (meter) / (second)"},
		{"g/(m/(s/cd))", "cd-1.g.m-1.s", "1", "(gram) / (meter) / (second) / (candela)"},
		{"J/(kg.K)", "K-1.m2.s-2", "1", "(joule) / (kilogram) * (kelvin)"},
		{"{beats}/min", "s-1", "1/60", "1 / (minute)"},
		{"g{a}{b}", "g", "1", "(gram) * 1 * 1"},
		{"(m){x}/5{y z}", "m", "1/5", "(meter) * 1 / 5 * 1"},
		{"%", "1", "1/100", "(percent)"},
		{"1", "1", "1", "1"},
		{"m/m", "1", "1", "(meter) / (meter)"},
		{"mm[Hg]", "g.m-1.s-2", "133322", "(millimeter of mercury column)"},
		{"daar", "m2", "1000", "(dekaare)"},
		{"k[iU]/mL", "m-3", "1000000000", "(kilointernational unit) / (milliliter)"},
		{"Gb", "C.s-1", "25000000000000000000000000000000000000000000000000000000000000000/31415926535897932384626433832795028841971693993751058209749445923", "(Gilbert)"},
		{"cd", "cd", "1", "(candela)"},
		{"Pa", "g.m-1.s-2", "1000", "(pascal)"},
		{"mo", "s", "2629800", "(month)"},
		{"[in_i'H2O]", "g.m-1.s-2", "24908891/100", "(inch of water column)"},
		{"B[10.nV]", "C-1.g.m2.s-2", "1/100000", "(bel 10 nanovolt)"},
	} {
		u := parse(t, c.code)
		f, err := u.Factor()
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Canonical(); got != c.canonical {
			t.Errorf("%s: canonical %s, want %s", c.code, got, c.canonical)
		}
		if got := f.RatString(); got != c.factor {
			t.Errorf("%s: factor %s, want %s", c.code, got, c.factor)
		}
		if got := u.Display(); got != c.display {
			t.Errorf("%s: display %s, want %s", c.code, got, c.display)
		}
		if u.Code() != c.code {
			t.Errorf("%s: code %s", c.code, u.Code())
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		code string
		at   int
		kind error
	}{
		{"zorkmid", 0, ErrUnknownUnit},
		{"mg/zork", 3, ErrUnknownUnit},
		{"SEC", 0, ErrUnknownUnit},  // case counts
		{"kmin", 0, ErrUnknownUnit}, // no prefix before a unit that is not metric
		{"kkg", 0, ErrUnknownUnit},
		{"k", 0, ErrUnknownUnit},
		{"2m", 0, ErrUnknownUnit},
		{"m//s", 2, ErrSyntax},
		{"m/", 2, ErrSyntax},
		{"m.", 2, ErrSyntax},
		{"m s", 1, ErrSyntax},
		{"(/m)", 1, ErrSyntax},
		{"(m", 2, ErrSyntax},
		{"m)", 1, ErrSyntax},
		{"()", 1, ErrSyntax},
		{"m-", 2, ErrSyntax},
		{"-5", 0, ErrSyntax},
		{"g/0", 2, ErrSyntax},
		{"{a", 0, ErrSyntax},
		{"m{a", 1, ErrSyntax},
		{"m{a{b}}", 3, ErrSyntax},
		{"m{\u00e9}", 2, ErrSyntax},
		{"{a}m", 3, ErrSyntax},
		{"[x", 0, ErrSyntax},
		{"[x y]", 2, ErrSyntax},
		{"\u00b5g", 0, ErrSyntax},
		{"m1000", 1, ErrLimit},
		{"m99999999999999999999", 1, ErrLimit},
		{strings.Repeat("(", 40) + "m" + strings.Repeat(")", 40), maxDepth, ErrLimit},
		{strings.Repeat("m.", 600) + "m", maxLength, ErrLimit},
	} {
		_, err := Parse(c.code)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error %v", c.code, err)
			continue
		}
		if e.At != c.at || !errors.Is(err, c.kind) || e.Code != c.code {
			t.Errorf("%q: %v at %d, want %v at %d", c.code, err, e.At, c.kind, c.at)
		}
	}
	_, err := Parse("mg/zork")
	if want := "Error processing unit 'mg/zork': The unit 'zork' is unknown at character 4"; err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
}

// TestFactorLimit makes sure that a short expression cannot ask for a huge number.
func TestFactorLimit(t *testing.T) {
	u := parse(t, strings.Repeat("Ym999.", 150)+"m")
	if _, err := u.Factor(); !errors.Is(err, ErrLimit) {
		t.Errorf("error %v", err)
	}
	if got := u.Canonical(); got != "m149851" {
		t.Errorf("canonical %s", got)
	}
}

func FuzzParse(f *testing.F) {
	atoms, err := Atoms()
	if err != nil {
		f.Fatal(err)
	}
	for _, a := range atoms {
		f.Add(a.Code)
	}
	for _, s := range []string{"mg/dL", "/(12.h)", "10*3{RBC}/uL", "k[iU]/mL{x y}", "m-2.s+3", "((", "B[10.nV]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		u, err := Parse(code)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.At > max(len(code), maxLength) {
				t.Fatalf("%q: %v", code, err)
			}
			return
		}
		// The canonical unit of a unit is a unit of the same dimension.
		if c, err := Parse(u.Canonical()); err == nil && c.dimension() != u.dimension() {
			t.Fatalf("%q: canonical %q has another dimension", code, u.Canonical())
		}
		if fact, err := u.Factor(); err == nil && fact.Sign() <= 0 {
			t.Fatalf("%q: factor %s", code, fact)
		}
		if u.Display() == "" {
			t.Fatalf("%q: no display", code)
		}
		// In parentheses it is the same.
		if p, err := Parse("(" + code + ")"); err == nil && (p.dimension() != u.dimension() || p.Display() != u.Display()) {
			t.Fatalf("%q: differs from itself in parentheses", code)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for _, code := range []string{"kg", "mg/dL", "10*3{RBC}/uL", "ml/min/(173.10*-2.m2)"} {
		b.Run(code, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(code); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	u, err := Parse("mmol/L")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = u.Canonical()
	}
}

// BenchmarkTable is what the first use of the package costs.
func BenchmarkTable(b *testing.B) {
	b.ReportAllocs()
	text, err := packed.Text(essenceFile)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := newTable(text); err != nil {
			b.Fatal(err)
		}
	}
}
