package codesystem

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestNormalForm(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"  ,; ", ""},
		{"Asthma", "asthma"},
		{"Type 2 diabetes mellitus", "type 2 diabetes mellitus"},
		{"Crohn's disease", "crohn s disease"},
		{"Crohn’s disease", "crohn s disease"},
		{"Ménière disease", "meniere disease"},
		{"Me\u0301nie\u0300re", "meniere"},
		{"Sjögren-Syndrom (M35.0)", "sjogren syndrom m35 0"},
		{"İstanbul ISPARTA ıspanak", "istanbul isparta ispanak"},
		{"Straße GROẞ gross", "strasse gross gross"},
		{"ﬁbrosis oﬃce", "fibrosis office"},
		{"Ελλάς ΕΛΛΆΣ", "ελλασ ελλασ"},
		{"Ångström, Å", "angstrom a"},
		{"Bjørnstad Łódź Đorđe æsj œuvre Þór", "bjornstad lodz dorde aesj oeuvre thor"},
		{"Ёлка ёлка", "елка елка"},
		{"Đái tháo đường", "dai thao duong"},
		{"高血圧症", "高 血 圧 症"},
		{"2型糖尿病, タイプ", "2 型 糖 尿 病 タ イ フ"},
		{"한국어 당뇨", norm.NFD.String("한국어 당뇨")},
		{"１２ｍｇ", "12mg"},
		{"H₂O m²", "h2o m2"},
		{"café\u00AD\u200Bs", "cafes"},
		{"a\xffb", "a b"},
		{"\u0301\u0301a", "a"},
		{"𝐀𝐁", "ab"},
		{"हिन्दी", "हिनदी"},
		{"السكري", "السكري"},
	} {
		got := string(appendNormal(nil, test.text))
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
		if again := string(appendNormal(nil, got)); again != got {
			t.Errorf("%q: normal form %q is not stable: %q", test.text, got, again)
		}
	}
}

// Case and composition of a letter make no difference, by the tables of x/text.
func TestFoldingIsInsensitive(t *testing.T) {
	fold := cases.Fold()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || !unicode.In(r, unicode.L, unicode.N) {
			continue
		}
		if r > 0x3400 && unicode.In(r, unicode.Han, unicode.Hangul, unicode.Tangut) && r%61 != 0 {
			continue // some of the many that are alike
		}
		s := string(r)
		want := string(appendNormal(nil, s))
		for name, other := range map[string]string{
			"case":        fold.String(s),
			"upper":       string(unicode.ToUpper(r)),
			"lower":       string(unicode.ToLower(r)),
			"NFC":         norm.NFC.String(s),
			"NFD":         norm.NFD.String(s),
			"NFKD":        norm.NFKD.String(s),
			"normal form": want,
		} {
			if name == "case" && strings.ContainsRune(norm.NFD.String(s), '\u0345') {
				continue // an iota below is a mark like others here, not a letter
			}
			if got := string(appendNormal(nil, other)); got != want {
				t.Errorf("%U %q: normal form of its %s %q is %q, not %q", r, s, name, other, got, want)
			}
		}
	}
}

func TestQueryMatch(t *testing.T) {
	for _, test := range []struct {
		query, code, text string
		want              Score
		found             bool
	}{
		{"", "x", "y", 0, true},
		{" \t", "x", "", 0, true},
		{"e11", "E11", "Diabetes", scoreCode | 6, true},
		{"e11", "E11.9", "Diabetes", scoreCodePrefix | 10, true},
		{" e11. ", "E11.9", "Diabetes", scoreCodePrefix | 10, true},
		{"diabetes", "E11", "Diabetes", scoreText | 16, true},
		{"Diab", "E11", "Diabetes", scoreTextPrefix | 16, true},
		{"type d", "E11", "Diabetes, type 2", scoreWords | 30, true},
		{"2 diabetes t", "E11", "Diabetes, type 2", scoreWords | 30, true},
		{"iabetes", "E11", "Diabetes", 0, false},
		{"diabetes x", "E11", "Diabetes", 0, false},
		{"diab diabetes", "E11", "Diabetes", scoreWords | 16, true},
		{"%", "%", "percent", scoreCode | 2, true},
		{"%", "1", "100 %", 0, false},
		{"meniere", "H81", "Maladie de Ménière", scoreWords | 36, true},
		{"MÉNIÈRE", "H81", "maladie de meniere", scoreWords | 36, true},
		{"血圧", "I10", "高血圧症", scoreWords | 14, true},
	} {
		got, found := CompileQuery(test.query).Match(test.code, test.text)
		if got != test.want || found != test.found {
			t.Errorf("%q in %q %q: %#x, %v, want %#x, %v", test.query, test.code, test.text, got, found, test.want, test.found)
		}
	}
	for _, test := range []struct {
		prefers, language string
		want              Score
	}{
		{"", "de", scoreText | 17},
		{"de-AT", "de", scoreText | 17},
		{"de", "", scoreText | 17},
		{"*", "de", scoreText | 17},
		{"en", "de", scoreOther | scoreText | 17},
	} {
		s, ok := CompileQuery("diabetes").In(test.prefers).MatchDesignation(test.language, "Diabetes")
		if s != test.want || !ok {
			t.Errorf("designation in %q for %q: %#x, %v, want %#x", test.language, test.prefers, s, ok, test.want)
		}
	}
	if CompileQuery("%").Empty() || !CompileQuery("\u2003").Empty() {
		t.Error("Empty")
	}
}

func TestQueryMatchAllocatesNothing(t *testing.T) {
	q := CompileQuery("diab typ")
	if n := testing.AllocsPerRun(100, func() {
		q.Match("E11", "Type 2 diabetes mellitus without complications, naïve")
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// naiveMatch is the reference of Match, by strings alone.
func naiveMatch(query, text string) bool {
	words := strings.Fields(string(appendNormal(nil, text)))
	for _, w := range strings.Fields(string(appendNormal(nil, query))) {
		if !slices.ContainsFunc(words, func(have string) bool { return strings.HasPrefix(have, w) }) {
			return false
		}
	}
	return true
}

func FuzzCompileQuery(f *testing.F) {
	for _, s := range []string{"", "%", "type 2 d", "Ménière's", "高血圧", "ﬁ ß İ", "a\xff", "각", "e11.9", "a a aa"} {
		f.Add(s, "Type 2 diabetes, ﬁbrosis "+s)
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q := CompileQuery(query)
		if again := CompileQuery(query); again.normal != q.normal || !slices.Equal(again.words, q.words) {
			t.Fatal("not deterministic")
		}
		if got := string(appendNormal(nil, q.normal)); got != q.normal {
			t.Errorf("normal form %q of %q becomes %q", q.normal, query, got)
		}
		if q.Empty() {
			return
		}
		_, found := q.matchText(text, true, true)
		if want := len(q.words) > 0 && naiveMatch(query, text); found != want {
			t.Errorf("%q in %q: %v, want %v", query, text, found, want)
		}
		if len(q.words) > 0 {
			if s, ok := q.matchText(query, false, true); !ok || s>>scoreClassShift != scoreText>>scoreClassShift {
				t.Errorf("%q does not find itself", query)
			}
		}
		if s, ok := q.Match(query, ""); !ok && strings.TrimSpace(query) == query {
			t.Errorf("code %q does not find itself: %#x", query, s)
		}
	})
}

func ExampleQuery_Match() {
	q := CompileQuery("diab t")
	for _, text := range []string{"Type 2 diabetes", "Diabetes", "Diab T"} {
		score, ok := q.Match("", text)
		fmt.Println(text, ok, score>>scoreClassShift)
	}
	// Output:
	// Type 2 diabetes true 4
	// Diabetes false 0
	// Diab T true 2
}
