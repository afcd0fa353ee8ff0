package uiadapter

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// graph returns an index of a graph: the parents of each concept, which come before it.
func graph(t testing.TB, parents [][]int) *codesystem.Index {
	t.Helper()
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/graph"}, Content: "complete"})
	for i, list := range parents {
		concept := codesystem.Concept{Code: strconv.Itoa(i), Parent: -1}
		for _, p := range list {
			concept.Properties = append(concept.Properties, codesystem.Property{Code: "parent", Value: r4.Code(strconv.Itoa(p))})
		}
		if _, err := b.Add(&concept); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// everyPath returns all paths to a concept.
func everyPath(x *codesystem.Index, o codesystem.Ord) [][]codesystem.Ord {
	if x.Root(o) {
		return [][]codesystem.Ord{{o}}
	}
	var paths [][]codesystem.Ord
	for _, parent := range x.Parents(o) {
		for _, path := range everyPath(x, parent) {
			paths = append(paths, append(slices.Clip(path), o))
		}
	}
	return paths
}

// TestPathsLaw compares with all paths: their number, and the lengths of the shortest ones, each once.
func TestPathsLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		parents := make([][]int, rapid.IntRange(1, 12).Draw(rt, "concepts"))
		for i := range parents {
			for p := range i {
				if rapid.IntRange(0, 2).Draw(rt, "parent") == 0 {
					parents[i] = append(parents[i], p)
				}
			}
		}
		x := graph(t, parents)
		o := codesystem.Ord(rapid.IntRange(0, x.Len()-1).Draw(rt, "concept"))
		most := rapid.IntRange(1, 20).Draw(rt, "most")
		every := everyPath(x, o)
		slices.SortStableFunc(every, func(a, b []codesystem.Ord) int { return cmp.Compare(len(a), len(b)) })
		paths, total := pathsTo(x, o, most)
		if total != len(every) || len(paths) != min(most, len(every)) {
			rt.Fatalf("%d of %d paths, want %d of %d", len(paths), total, min(most, len(every)), len(every))
		}
		for i, path := range paths {
			if len(path) != len(every[i]) {
				rt.Fatalf("path %d has %d steps, want %d", i, len(path), len(every[i]))
			}
			if !slices.ContainsFunc(every, func(e []codesystem.Ord) bool { return slices.Equal(e, path) }) {
				rt.Fatalf("%v is no path", path)
			}
			if slices.ContainsFunc(paths[:i], func(e []codesystem.Ord) bool { return slices.Equal(e, path) }) {
				rt.Fatalf("%v is there twice", path)
			}
		}
	})
}

// A graph with more paths than there are numbers is no trouble: it is not unrolled.
func TestPathsMany(t *testing.T) {
	parents := [][]int{nil}
	for range 60 { // two ways at each of 60 steps
		top := len(parents) - 1
		parents = append(parents, []int{top}, []int{top}, []int{top + 1, top + 2})
	}
	x := graph(t, parents)
	last, _ := x.Find(strconv.Itoa(len(parents) - 1))
	paths, total := pathsTo(x, last, 6)
	if total != manyPaths || len(paths) != 6 {
		t.Errorf("%d of %d paths", len(paths), total)
	}
}

func TestMark(t *testing.T) {
	for _, tt := range []struct {
		sought, text string
		nearly       bool
		want         []Span
	}{
		{"heart", "Heartburn", false, []Span{{"Heart", true}, {"burn", false}}},
		{"fail heart", "Congestive HEART failure", false, []Span{{"Congestive ", false}, {"HEART", true}, {" ", false}, {"fail", true}, {"ure", false}}},
		{"e", "Été", false, []Span{{"É", true}, {"té", false}}},
		{"strasse", "Hauptstraße Straße", false, []Span{{"Hauptstraße ", false}, {"Straße", true}}},
		{"", "text", false, []Span{{"text", false}}},
		{"x", "", false, nil},
		{"hart", "Heart", false, []Span{{"Heart", false}}},
		{"hart", "Heart block", true, []Span{{"Heart", true}, {" block", false}}},
		{"a an", "an apple", false, []Span{{"an", true}, {" ", false}, {"a", true}, {"pple", false}}},
		{"<b>", "<b>", false, []Span{{"<", false}, {"b", true}, {">", false}}},
	} {
		if got := newMarker(tt.sought).mark(tt.text, tt.nearly); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q in %q: %v, want %v", tt.sought, tt.text, got, tt.want)
		}
	}
}

// FuzzMark marks parts of a text: together they are the text.
func FuzzMark(f *testing.F) {
	f.Add("heart fail", "Heart failure")
	f.Add("ß \xff", "Stra\xc3\x9fe \xff\u202e")
	f.Fuzz(func(t *testing.T, sought, text string) {
		for _, nearly := range []bool{false, true} {
			whole := ""
			for _, span := range newMarker(cut(sought, maxSought)).mark(text, nearly) {
				whole += span.Text
			}
			if whole != short(text) {
				t.Errorf("%q, want %q", whole, short(text))
			}
		}
	})
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width float64
		want  []string
	}{
		{"one", 10, []string{"one"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"a b c d e f g h", 3, []string{"a b", "c d", "e…"}},
		{"abcdefgho", 5, []string{"abcd-", "efgho"}},
		{"日本語日本語", 6, []string{"日本-", "語日-", "本語"}},
		{"", 5, []string{""}},
	} {
		if got := wrap(tt.text, tt.width, 3); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\u202eb\u2066c\u200f": "abc", "tab\tline\n": "tab line ", "👩\u200d🔬": "👩\u200d🔬",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := cut("äöü", 2); got != "äö…" {
		t.Errorf("cut: %q", got)
	}
	if got := cut("äöü", 3); got != "äöü" {
		t.Errorf("cut: %q", got)
	}
}

func TestConstraint(t *testing.T) {
	for _, tt := range []struct{ system, code, display, want string }{
		{snomed, "73211009", "Diabetes mellitus", "<< 73211009 |Diabetes mellitus|"},
		{snomed, "73211009", "", "<< 73211009"},
		{snomed, "x", "no identifier", ""},
		{"http://x", "E11.9", "a | b\n", "<< code#E11.9 |a b|"},
		{"http://x", "HP:1", "", `<< code#"HP:1"`},
		{"http://x", `a"b`, "", ""},
	} {
		if got := constraint(tt.system, tt.code, tt.display); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.system, tt.code, got, tt.want)
		}
	}
}

func TestTagOf(t *testing.T) {
	for name, want := range map[string]string{
		"Fracture of femur (disorder)": "disorder", "Femur (a) (body structure)": "body structure", "no tag": "", "(only)": "", "open (tag": "",
		"a (text that is far too long to be a semantic tag of any edition)": "",
	} {
		if got := tagOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// The categories of a hierarchy are those near its top that tell concepts apart.
func TestTopsOf(t *testing.T) {
	for _, tt := range []struct {
		name    string
		parents [][]int
		want    []string
	}{
		{"flat", [][]int{nil, nil, nil}, nil},
		{"one root", [][]int{nil, {0}, {0}, {1}, {1}, {2}, {2}}, []string{"1", "2"}},
		{"a large branch gives way", [][]int{nil, nil, {0}, {0}, {0}, {2}, {3}, {4}, {1}}, []string{"2", "3", "4", "1"}},
		{"one chain", [][]int{nil, {0}, {1}}, nil},
	} {
		var got []string
		for _, c := range topsOf(graph(t, tt.parents)) {
			got = append(got, c.key)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// FuzzTyped requires that the words before the caret are the end of the text, so that a completion takes
// the place of nothing else.
func FuzzTyped(f *testing.F) {
	for _, text := range []string{"", "<< fem", "a AND b", "<< 1 : x = 𝒳y", "|a", "a or ", "\x80 and \xff", "İ AND x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, _, ok := typed(text)
		if !strings.HasSuffix(text, words) {
			t.Fatalf("typed(%q) = %q", text, words)
		}
		if !ok && words != "" {
			t.Fatalf("typed(%q) = %q where nothing can be completed", text, words)
		}
		if got, want := utf16Len(words), len(utf16.Encode([]rune(words))); got != want {
			t.Fatalf("utf16Len(%q) = %d, want %d", words, got, want)
		}
	})
}

// FuzzBasket requires that a cookie is read as a basket within its bounds, and that what is read can be
// kept or is refused.
func FuzzBasket(f *testing.F) {
	value, err := packed(with(with(nil, "http://a", "1"), "http://b", "\xff\u202e"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add("AAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		r := &http.Request{Header: http.Header{"Cookie": {cookieBasket + "=" + value}}}
		list := basketOf(r)
		if n := countPicks(list); n > maxPicked {
			t.Fatalf("%d codes", n)
		}
		again, err := packed(list)
		if err != nil {
			return
		}
		r.Header.Set("Cookie", cookieBasket+"="+again)
		if countPicks(basketOf(r)) != countPicks(list) {
			t.Fatalf("%q: a basket of %d codes is read as %d", value, countPicks(list), countPicks(basketOf(r)))
		}
	})
}
