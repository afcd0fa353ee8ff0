package spelling_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine/spelling"
)

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		want, have string
		off        int
	}{
		{"diabetes", "Type 2 Diabetes", 0},
		{"diabtes", "Type 2 diabetes", 1},
		{"daibetes", "diabetes", 1}, // two letters swapped
		{"mellitis diabtes", "Diabetes mellitus", 2},
		{"heart", "kidney", spelling.Far},
		{"a", "b", spelling.Far},       // one letter is not spelled as another one
		{"heart", "", spelling.Far},    // no words
		{"", "heart", 0},               // nothing to find
		{"épaule", "epaule", 1},        // letters, not bytes
		{"hart heart", "heart", 0 + 1}, // a word of the text may be near two
		{"abcdefgh", "abcdexyz", 3},    // a quarter of the letters, and one more
		{"abcdefgh", "abcdwxyz", spelling.Far},
		{"abcd", "abxy", 2},
		{"abcd", "axyz", spelling.Far},
		{strings.Repeat("a", 64), strings.Repeat("a", 64), 0},
		{strings.Repeat("a", 65), strings.Repeat("a", 65), spelling.Far},
	} {
		if off := spelling.Distance(spelling.Words(tt.want), spelling.Words(tt.have)); off != tt.off {
			t.Errorf("Distance(%.20q, %.20q) is %d, want %d", tt.want, tt.have, off, tt.off)
		}
	}
}

func TestCodes(t *testing.T) {
	for _, tt := range []struct{ code, meant string }{
		{"e119", "E11.9"},
		{"E11.9", "E119"},
		{"hp_0001250", "HP:0001250"},
		{"HP:0001250", "HP_0001250"},
		{"00123", "123"},
		{"Entered In Error", "entered-in-error"},
		{"e 11.9", "E11.9"},
	} {
		if got := spelling.Codes(tt.code); !slices.Contains(got, tt.meant) {
			t.Errorf("Codes(%q) is %q, want %q among them", tt.code, got, tt.meant)
		}
		if got := spelling.Codes(tt.code); slices.Contains(got, tt.code) {
			t.Errorf("Codes(%q) has the code itself", tt.code)
		}
	}
	if got := spelling.Codes(strings.Repeat("x", 61)); got != nil {
		t.Errorf("Codes of a long text is %q, want none", got)
	}
}

// finder searches a few texts as a code system does: each word begins a word of the text.
func finder(items ...string) spelling.Finder[string] {
	return spelling.Finder[string]{
		Search: func(text string) ([]string, error) {
			var found []string
			for _, item := range items {
				has := true
				for _, w := range spelling.Words(text) {
					has = has && slices.ContainsFunc(spelling.Words(item), func(h string) bool { return strings.HasPrefix(h, w) })
				}
				if has {
					found = append(found, item)
				}
			}
			return found, nil
		},
		Texts: func(item string) (string, []string) {
			code, text, _ := strings.Cut(item, " ")
			return code, []string{text}
		},
	}
}

func TestFind(t *testing.T) {
	f := finder("E11 Type 2 diabetes mellitus", "I21 Acute myocardial infarction", "J45 Asthma", "M54 Dorsalgia", "K70 Alcoholic liver disease")
	for _, tt := range []struct{ text, code, missing string }{
		{"diabetis", "E11", ""},
		{"diabetes melitus", "E11", ""},
		{"azthma", "J45", ""},
		{"myocardial infraction", "I21", ""},
		{"xcute myocardial", "I21", "xcute"},
		{"acute asthma", "J45", "acute"},
		{"acute azthma", "J45", "acute"},
		{"e12", "E11", ""}, // a code is spelled nearly so, too
		{"photosynthesis", "", ""},
		{"", "", ""},
		{"a b c d e f g h i", "", ""}, // too many words
	} {
		found, missing, err := f.Find(spelling.Words(tt.text), 10)
		if err != nil {
			t.Fatal(err)
		}
		code := ""
		if len(found) > 0 {
			code, _, _ = strings.Cut(found[0].Item, " ")
		}
		if code != tt.code || missing != tt.missing {
			t.Errorf("%q finds %q without %q, want %q without %q", tt.text, code, missing, tt.code, tt.missing)
		}
	}
}

// A question asks the search a bounded number of times, and not at all after an error.
func TestFindAttempts(t *testing.T) {
	calls := 0
	f := spelling.Finder[string]{
		Search: func(string) ([]string, error) { calls++; return nil, nil },
		Texts:  func(string) (string, []string) { return "", nil },
	}
	if found, _, err := f.Find(spelling.Words("one two three four five six seven eight"), 10); err != nil || len(found) > 0 || calls == 0 || calls > 32 {
		t.Errorf("%d attempts, %v, %v, want 1 to 32 without a result", calls, found, err)
	}
	for text, want := range map[string]int{
		"one": 2, "two words": 3 + 2 + 1 + 2*3, // fewer letters, one letter of a word, of all, and without each word
		strings.Repeat("abcdefghijkl ", 8): 32, strings.Repeat("abcdefghijkl ", 9): 0,
	} {
		calls = 0
		if _, _, err := f.Find(spelling.Words(text), 10); err != nil || calls != want {
			t.Errorf("%s: %d attempts, %v; want %d", text, calls, err, want)
		}
	}
	calls = 0
	broken := errors.New("broken")
	f.Search = func(string) ([]string, error) { calls++; return nil, broken }
	if _, _, err := f.Find([]string{"word"}, 10); !errors.Is(err, broken) || calls != 1 {
		t.Errorf("%d attempts with %v, want one with its error", calls, err)
	}
}
