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
		{text: "de,, en,", want: []string{"de", "en"}},
		{text: " ", bad: true},
		{text: "de;q=1, en;q=0.0", want: []string{"de"}},
		{text: "de;q=1.01", bad: true},
		{text: "de;q=-0.1", bad: true},
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

// TestWordings lists the texts of a concept in their order, and stops after each of them.
func TestWordings(t *testing.T) {
	system := func(content, code, display string, designations ...string) *codesystem.Index {
		b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://s", Language: "en"}, Content: content})
		c := codesystem.Concept{Code: code, Display: display, Parent: -1}
		for i, text := range designations {
			c.Designations = append(c.Designations, r4.Designation{Language: "de", Value: text})
			c.Details = append(c.Details, codesystem.DesignationDetail{Inactive: i%2 == 1})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
		x, err := b.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	own := []r4.Designation{{Value: "mine"}, {Value: "ours"}}
	loaded := Concept{Index: system("complete", "a", "Tea", "Tee", "Thee", "Schwarztee", "Theeblatt"), Display: "My tea", Own: own, OwnLanguage: "sv", Supplements: []*codesystem.Index{
		system("supplement", "b", "Coffee"), system("supplement", "a", "Thé", "Aufguss"), system("supplement", "a", ""),
	}}
	for _, tt := range []struct {
		texts func(func(*Wording) bool)
		want  []string
	}{
		{loaded.Wordings, []string{"My tea sv", "Tea en", "Tee de", "Schwarztee de", "Thé en", "Aufguss de", "mine ", "ours "}},
		{loaded.Former, []string{"Thee de", "Theeblatt de"}},
		{(&Concept{Display: "My tea", OwnLanguage: "sv", Own: own}).Wordings, []string{"My tea sv", "mine ", "ours "}},
		{(&Concept{Display: "My tea"}).Former, nil},
	} {
		for most := range len(tt.want) + 1 {
			var got []string
			tt.texts(func(w *Wording) bool {
				got = append(got, w.Text+" "+w.Language)
				return len(got) <= most
			})
			if want := tt.want[:min(most+1, len(tt.want))]; !slices.Equal(got, want) {
				t.Errorf("%d texts and one: %q, want %q", most, got, want)
			}
		}
	}
}

// TestFitOfRefsets compares texts with language reference sets, which are ranges too, and orders texts of
// one language.
func TestFitOfRefsets(t *testing.T) {
	const british = "900000000000508004"
	accepted := func(use, refset string, preferred bool) *Wording {
		return &Wording{Text: "x", Language: "en", Use: &r4.Coding{Code: use}, Accepted: []codesystem.Acceptability{{Refset: refset, Preferred: preferred}}}
	}
	for _, tt := range []struct {
		want      string
		w         *Wording
		fit, rank int
	}{
		{british, accepted(synonym, british, true), fitDialect, 0},
		{british, accepted(synonym, british, false), fitSibling, 2},
		{british, accepted(synonym, "1", true), FitNone, 0},
		{british, accepted(fullName, british, true), FitNone, useName},
		{"en-GB", accepted(synonym, british, true), fitDialect, 0},
		{"en-GB", accepted(synonym, british, false), fitBroad, 2},
		{"en", accepted(synonym, british, true), FitExact, 0},
		{"fr, " + british, accepted(synonym, british, true), fitDialect, 0},
		{"en", &Wording{Language: "en", Display: true, Use: &r4.Coding{Code: synonym}}, FitExact, 0},
		{"en", &Wording{Language: "en-US"}, FitNarrow, 1},
		{"en", &Wording{Language: "en", Use: &r4.Coding{Code: "preferred"}}, FitExact, 0},
	} {
		l, err := Parse(tt.want)
		if fit := l.Best(tt.w); err != nil || fit != tt.fit || tt.w.rank() != tt.rank || tt.w.ForDisplay() != (tt.rank < 2) {
			t.Errorf("%s: %+v fits %d with rank %d, %v; want %d, %d", tt.want, tt.w, fit, tt.w.rank(), err, tt.fit, tt.rank)
		}
	}
	for _, tt := range [][5]string{ // the preferred languages of a request, and the outcome
		{"de", "fr", "nl", "sv", "de"}, {"", "fr", "nl", "sv", "fr"}, {"", "", "nl", "sv", "nl"}, {"", "", "x y", "sv", "sv"}, {"", "", "", "x y", "--"}, {"", "", "", "", "--"},
	} {
		if l, err := Choose(tt[0], tt[1], tt[2], tt[3]); err != nil || l.Label() != tt[4] {
			t.Errorf("%q: %s, %v", tt, l.Label(), err)
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
