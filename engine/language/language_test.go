package language

import (
	"slices"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

func TestParseLanguages(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
		bad  bool
	}{
		{text: ""},
		{text: "de", want: []string{"de"}},
		{text: "de-CH", want: []string{"de-CH"}},
		{text: "fr;q=0.2, de-CH, en;q=0.9", want: []string{"de-CH", "en", "fr"}},
		{text: "de, *;q=0", want: []string{"de"}},
		{text: "*", want: []string{"*"}},
		{text: "de;q=0"},
		{text: "x y", bad: true},
		{text: "de;q=much", bad: true},
	} {
		got, err := Parse(tt.text)
		if (err != nil) != tt.bad || !slices.Equal(got.ranges, tt.want) {
			t.Errorf("%q: got %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
}

func TestPick(t *testing.T) {
	offers := []Wording{
		{Text: "Color", Language: "en-US"},
		{Text: "Colour", Language: "en-GB"},
		{Text: "Farbe", Language: "de", Use: &r4.Coding{Code: "synonym"}},
		{Text: "Die Farbe", Language: "de", Use: &r4.Coding{Code: "900000000000003001"}},
		{Text: "Farb", Language: "de-CH"},
		{Text: "Kleur", Language: "nl", Use: &r4.Coding{Code: "synonym"}},
		{Text: "De kleur", Language: "nl", Use: &r4.Coding{Code: "preferredForLanguage"}},
		{Text: "Tint", Language: "nl"},
		{Text: "?", Language: ""},
		{Text: "", Language: "fi"},
	}
	for _, tt := range []struct {
		want []string
		text string
	}{
		{[]string{"de"}, "Farbe"},
		{[]string{"de-CH"}, "Farb"},
		{[]string{"de-AT"}, "Farbe"},
		{[]string{"DE-ch"}, "Farb"},
		{[]string{"en"}, "Color"},
		{[]string{"en-GB"}, "Colour"},
		{[]string{"en-AU"}, "Color"},
		{[]string{"nl"}, "De kleur"},
		{[]string{"nl-BE"}, "De kleur"},
		{[]string{"fr", "de"}, "Farbe"},
		{[]string{"de", "nl"}, "Farbe"},
		{[]string{"fi"}, ""},
		{[]string{"fr"}, ""},
		{[]string{"d"}, ""},
	} {
		p := pick{want: Preference{ranges: tt.want}}
		for _, o := range offers {
			p.offer(&o)
		}
		if p.best.Text != tt.text || p.found != (tt.text != "") {
			t.Errorf("%v: got %q, want %q", tt.want, p.best.Text, tt.text)
		}
	}
}

// TestPickDisplay takes no withdrawn text before a current one, no inactive text, and no other
// language where a request refuses it.
func TestPickDisplay(t *testing.T) {
	withdrawn := r4.Extensions{{URL: issue.StandardsStatus, Value: r4.Code("withdrawn")}}
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://s", Language: "en"}, Content: "complete"})
	if _, err := b.Add(&codesystem.Concept{Code: "a", Display: "Tea", Parent: -1, Designations: []r4.Designation{
		{Language: "de", Value: "Thee", Extension: withdrawn}, {Language: "de", Value: "Tee"}, {Language: "nl", Value: "Thee"}, {Language: "sv", Value: "Thé", Extension: withdrawn},
	}, Details: []codesystem.DesignationDetail{{}, {}, {Inactive: true}, {}}}); err != nil {
		t.Fatal(err)
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	loaded, listed := Concept{Index: x, Display: "Tea"}, Concept{Display: "Tea"}
	for _, tt := range []struct {
		of         *Concept
		want, text string
	}{
		{&loaded, "de", "Tee"},
		{&loaded, "sv", "Thé"},
		{&loaded, "nl", "Tea"},
		{&loaded, "nl, *;q=0", ""},
		{&loaded, "*;q=0", ""},
		{&loaded, "*;q=0, en;q=0.1", "Tea"},
		{&listed, "nl, *;q=0", "Tea"},
	} {
		want, err := Parse(tt.want)
		if got := tt.of.PickDisplay(&want); err != nil || got != tt.text {
			t.Errorf("%s: %q, %v; want %q", tt.want, got, err, tt.text)
		}
	}
}

func FuzzParseLanguages(f *testing.F) {
	for _, s := range []string{"de-CH", "en;q=0.5, *", "zh-Hant-TW,,", "\x00", "i-klingon"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(text)
		if err != nil && len(list.ranges) > 0 {
			t.Error("an error and a list")
		}
		for _, tag := range list.ranges {
			if Fit(tag, tag) != FitExact && tag != "" || tag != "*" && Fit(tag, "") != FitNone {
				t.Errorf("%q does not fit itself", tag)
			}
		}
	})
}
