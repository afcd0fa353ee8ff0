package bcp47

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ tag, canonical, name string }{
		{"de", "de", "German"},
		{"fr-be", "fr-BE", "French (Belgium)"},
		{"ZH-hant-tw", "zh-Hant-TW", "Chinese (Han (Traditional variant), Taiwan, Province of China)"},
		{"es-419", "es-419", "Spanish (Latin America and the Caribbean)"},
		{"sl-rozaj-biske", "sl-rozaj-biske", "Slovenian (Resian, The San Giorgio dialect of Resian)"},
		{"zh-yue-HK", "zh-yue-HK", "Yue Chinese (Hong Kong)"},
		{"de-DE-u-co-phonebk-x-clinic", "de-DE-u-co-phonebk-x-clinic", "German (Germany, u-co-phonebk, x-clinic)"},
		{"x-ward-7", "x-ward-7", "Private use (x-ward-7)"},
		{"i-Klingon", "i-klingon", "Klingon"},
		{"qab", "qab", "Private use"},
		{"mul", "mul", "Multiple languages"},
	} {
		got, err := Parse(c.tag)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.String() != c.canonical || got.Names()[0] != c.name {
			t.Errorf("%s: %s, %q; want %s, %q", c.tag, got, got.Names(), c.canonical, c.name)
		}
	}
	es, err := Parse("es-MX")
	if err != nil || !slices.Equal(es.Names(), []string{"Spanish (Mexico)", "Castilian (Mexico)"}) {
		t.Errorf("names of es-MX: %q, %v", es.Names(), err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		tag string
		at  int
	}{
		{"", 0},
		{"german", 0},
		{"zz", 0},
		{"de_CH", 0},
		{"de--CH", 3},
		{"de-", 3},
		{"de-ZZZ", 3},
		{"de-QQQQ", 3},
		{"de-CH-AT", 6},
		{"de-1996-1996", 8},
		{"de-toolongsubtag", 3},
		{"de-u", 3},
		{"de-u-co-u-ka", 8},
		{"de-x", 3},
		{"to\u212a", 2}, // the sign of kelvin is no k
		{"x", 0},
		{"de-x-toolongsubtag", 5},
		{"de-x-a-", 7},
		{strings.Repeat("x-", 200) + "x", maxLength},
	} {
		got, err := Parse(c.tag)
		var e *Error
		if !errors.As(err, &e) || e.At != c.at {
			t.Errorf("%q: %v, %v; want an error at %d", c.tag, got, err, c.at)
		}
	}
}

// TestRegistry parses every subtag where it belongs.
func TestRegistry(t *testing.T) {
	r, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for k, pattern := range [kinds]string{"%s", "zh-%s", "und-%s", "und-%s", "und-%s", "%s"} {
		if len(r.subtags[k]) < 20 {
			t.Errorf("%d subtags of kind %s", len(r.subtags[k]), kindNames[k])
		}
		for subtag := range r.subtags[k] {
			tag, err := Parse(fmt.Sprintf(pattern, subtag))
			if err != nil {
				t.Error(err)
			} else if len(tag.Names()) == 0 || tag.Names()[0] == "" {
				t.Errorf("%s has no name", tag)
			}
		}
	}
}

func TestDamagedRegistry(t *testing.T) {
	for _, file := range []string{"", registryFile[:len(registryFile)/2]} {
		if _, err := read(file); err == nil {
			t.Errorf("%d bytes are read without an error", len(file))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"de", "zh-Hant-TW", "x-a", "i-enochian", "sl-rozaj-1994", "de-u-co-phonebk", "a-b-c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := Parse(s)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.At < 0 || e.At > len(s) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if !strings.EqualFold(tag.String(), s) {
			t.Fatalf("%q became %q", s, tag)
		}
		again, err := Parse(tag.String())
		if err != nil || again.String() != tag.String() || !slices.Equal(again.Names(), tag.Names()) {
			t.Fatalf("%q is not stable: %v, %v", s, again, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("zh-Hant-TW"); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleParse() {
	t, err := Parse("PT-br")
	if err != nil {
		panic(err)
	}
	fmt.Println(t, t.Names())
	_, err = Parse("pt-Brasil")
	fmt.Println(err)
	// Output:
	// pt-BR [Portuguese (Brazil)]
	// Error processing language tag 'pt-Brasil': The subtag 'brasil' is unknown, or has no place at character 4
}
