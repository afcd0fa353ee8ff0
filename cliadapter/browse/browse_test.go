package browse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/cliadapter/browse"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// system builds a code system from lines "code|Display|parents".
func system(t interface{ Fatal(...any) }, name string, lines ...string) browse.System {
	header := &r4.CodeSystem{Content: "complete", HierarchyMeaning: "is-a"}
	header.ResourceType, header.URL, header.Version, header.Status = "CodeSystem", "http://example.org/"+name, "1", "active"
	b := codesystem.NewBuilder(header)
	for _, line := range lines {
		parts := strings.Split(line+"||", "|")
		c := codesystem.Concept{Code: parts[0], Display: parts[1], Parent: -1}
		for i := range 201 * strings.Count(c.Code, "many") {
			c.Designations = append(c.Designations, r4.Designation{Language: "en", Value: fmt.Sprintf("text %d", i)})
		}
		for _, p := range strings.Fields(parts[2]) {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(p)})
		}
		if c.Code == "b" {
			c.Definition = "The definition of b, which is long enough to need several lines."
			c.Designations = []r4.Designation{{Language: "de", Value: "Be"}}
			c.Properties = append(c.Properties, codesystem.Property{Code: "size", Value: r4.String("7")}, codesystem.Property{Code: "like", Value: r4.Code("c")})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return browse.System{Name: name, Index: x}
}

// letters is a code system in which e has two parents.
func letters(t interface{ Fatal(...any) }) browse.System {
	return system(t, "letters", "a|Alpha", "b|Beta|a", "c|Gamma|a", "d|Delta|b", "e|Epsilon|b c")
}

func numbers(t interface{ Fatal(...any) }) browse.System {
	return system(t, "numbers", "1|One", "2|Two", "3|Three alphas")
}

// lines returns the text of a view, without blanks at the ends.
func lines(view []browse.Line) []string {
	list := make([]string, len(view))
	for i, line := range view {
		var b strings.Builder
		for _, s := range line {
			if s.Style == browse.Reverse && i > 0 {
				b.WriteString(">")
			}
			b.WriteString(s.Text)
		}
		list[i] = strings.TrimRight(b.String(), " ")
	}
	return list
}

func press(t *testing.T, m *browse.Model, keys ...browse.Key) {
	t.Helper()
	for _, k := range keys {
		if m.Press(k) {
			t.Fatalf("%q ends the browser", k)
		}
	}
}

// body returns the lines between the title and the hints, down to the last one that is not empty.
func body(m *browse.Model, width, height int) string {
	all := lines(m.View(width, height))
	return strings.TrimRight(strings.Join(all[1:height-1], "\n"), "\n")
}

// checkHint fails unless the last line begins with a text.
func checkHint(t *testing.T, m *browse.Model, want string) {
	t.Helper()
	if last := lines(m.View(100, 12))[11]; !strings.HasPrefix(last, want) {
		t.Errorf("the hint is %q, want %q", last, want)
	}
}

func TestWalk(t *testing.T) {
	m := browse.New([]browse.System{letters(t), numbers(t)}, 0)
	for _, c := range []struct {
		keys []browse.Key
		want string
	}{
		{nil, ">▾ a  Alpha\n  ▸ b  Beta  (2)\n  ▸ c  Gamma  (1)"},
		{[]browse.Key{browse.Down, browse.Right}, "▾ a  Alpha\n>  ▾ b  Beta\n      d  Delta\n      e  Epsilon  ↖2\n  ▸ c  Gamma  (1)"},
		{[]browse.Key{"l", "j"}, "▾ a  Alpha\n  ▾ b  Beta\n      d  Delta\n>      e  Epsilon  ↖2\n  ▸ c  Gamma  (1)"},
		{[]browse.Key{"p", browse.Down}, "Parents of e\n  b  Beta\n>  c  Gamma"},
		{[]browse.Key{browse.Enter}, "▾ a  Alpha\n  ▾ b  Beta\n      d  Delta\n      e  Epsilon  ↖2\n>  ▸ c  Gamma  (1)"},
		{[]browse.Key{browse.Enter, browse.End}, "▾ a  Alpha\n  ▾ b  Beta\n      d  Delta\n      e  Epsilon  ↖2\n  ▾ c  Gamma\n>      e  Epsilon  ↖2"},
		{[]browse.Key{browse.Left, browse.Left}, "▾ a  Alpha\n  ▾ b  Beta\n      d  Delta\n      e  Epsilon  ↖2\n>  ▸ c  Gamma  (1)"},
		{[]browse.Key{"p"}, ">▾ a  Alpha\n  ▾ b  Beta\n      d  Delta\n      e  Epsilon  ↖2\n  ▸ c  Gamma  (1)"},
		{[]browse.Key{browse.Enter}, ">▸ a  Alpha  (2)"},
		{[]browse.Key{"s", browse.Down, browse.Enter}, ">  1  One\n  2  Two\n  3  Three alphas"},
		{[]browse.Key{"s", browse.Up, browse.Up, browse.Enter}, ">▸ a  Alpha  (2)"},
	} {
		press(t, m, c.keys...)
		if diff := cmp.Diff(c.want, body(m, 60, 12)); diff != "" {
			t.Errorf("%q: -want +got\n%s", c.keys, diff)
		}
	}
	press(t, m, "p")
	if last := lines(m.View(60, 12))[11]; last != "no parents: this is a root" {
		t.Error(last)
	}
}

func TestFind(t *testing.T) {
	m := browse.New([]browse.System{letters(t), numbers(t)}, 0)
	typed := func(text string) {
		for _, r := range text {
			press(t, m, browse.Key(r))
		}
	}
	press(t, m, "/")
	typed("qalph")
	press(t, m, browse.Erase)
	typed("alpx")
	press(t, m, browse.Backspace)
	want := "find alp▏  in all code systems, 2 found\n>  a  Alpha  [letters]\n  3  Three alphas  [numbers]"
	if diff := cmp.Diff(want, body(m, 60, 12)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	press(t, m, browse.Tab)
	if diff := cmp.Diff("find alp▏  in letters, 1 found\n>  a  Alpha", body(m, 60, 12)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	press(t, m, browse.Tab, browse.Down, browse.Enter)
	if got := body(m, 60, 12); !strings.HasSuffix(got, ">  3  Three alphas") {
		t.Error(got)
	}
	press(t, m, "/", browse.Escape)
	checkHint(t, m, "/ find")
	press(t, m, "/", "xy", browse.Home, "\u202e") // which are no characters
	checkHint(t, m, "↑↓ choose  enter go there  tab scope")
	if got := body(m, 60, 12); !strings.HasPrefix(got, "find alp▏") {
		t.Error(got)
	}
	press(t, m, browse.Enter) // what was typed is still there, and leads there again
	press(t, m, "/", browse.Erase, "e", browse.Enter)
	if got := body(m, 60, 12); !strings.Contains(got, "▾ b  Beta") || !strings.Contains(got, ">      e  Epsilon") {
		t.Errorf("what is above is open:\n%s", got)
	}
}

func TestRead(t *testing.T) {
	m := browse.New([]browse.System{letters(t)}, 0)
	press(t, m, "j", browse.Tab)
	want := `b
Beta
http://example.org/letters|1

Definition
The definition of b, which is
long enough to need several
lines.

Parents (1)
a  Alpha

Below
2 child concepts, 2
descendants

Designations
Be  [de]

Properties
size  7
like  c  Gamma`
	if diff := cmp.Diff(want, body(m, 30, 30)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	checkHint(t, m, "↑↓ scroll  esc back")
	press(t, m, "j", "j")
	if got := lines(m.View(30, 10))[1]; got != "http://example.org/letters|1" {
		t.Errorf("scrolled to %q", got)
	}
	press(t, m, browse.End)
	if all := lines(m.View(30, 10)); all[8] != "like  c  Gamma" {
		t.Errorf("%q", all)
	}
	press(t, m, browse.Escape)
	if got := body(m, 30, 10); !strings.HasPrefix(got, "▾ a  Alpha\n>  ▸ b") {
		t.Error(got)
	}
	beside := lines(m.View(100, 8)) // on a wide screen, the concept is beside the tree
	if want := "▾ a  Alpha" + strings.Repeat(" ", 45) + " │ b"; beside[1] != want {
		t.Errorf("%q, want %q", beside[1], want)
	}
	press(t, m, "?")
	checkHint(t, m, "↑↓ scroll  esc back")
	if got := body(m, 60, 30); !strings.Contains(got, "Y         copy system|code") {
		t.Error(got)
	}
	press(t, m, browse.Escape)
	if !m.Press("q") || !m.Press(browse.Quit) {
		t.Error("q ends the browser")
	}
}

func TestCopy(t *testing.T) {
	quoted := system(t, "quoted", `x "y"|A "text"`)
	snomed := letters(t)
	for _, c := range []struct {
		system browse.System
		key    browse.Key
		want   string
	}{
		{snomed, "y", "a"},
		{snomed, "Y", "http://example.org/letters|a"},
		{snomed, "J", `{"system":"http://example.org/letters","version":"1","code":"a","display":"Alpha"}`},
		{snomed, "E", `<< code#"a"`},
		{quoted, "E", `<< code#"x \"y\""`},
		{quoted, "J", `{"system":"http://example.org/quoted","version":"1","code":"x \"y\"","display":"A \"text\""}`},
	} {
		m := browse.New([]browse.System{c.system}, 0)
		press(t, m, c.key)
		text, ok := m.Clipboard()
		if _, again := m.Clipboard(); text != c.want || !ok || again || m.Copied() != c.want {
			t.Errorf("%s: %q, want %q", c.key, text, c.want)
		}
	}
	empty := browse.New([]browse.System{system(t, "empty")}, 0)
	press(t, empty, "y", "p", browse.Down, browse.Enter, browse.Tab)
	if _, ok := empty.Clipboard(); ok {
		t.Error("nothing is copied where nothing is")
	}
}

// TestManyDesignations: 200 texts of a concept are shown.
func TestManyDesignations(t *testing.T) {
	m := browse.New([]browse.System{system(t, "texts", "many|")}, 0)
	press(t, m, browse.Tab)
	if got := body(m, 60, 300); !strings.Contains(got, "text 199  [en]") || strings.Contains(got, "text 200") {
		t.Error(got)
	}
}

// hostile has texts that would act on a terminal, deny room to others, or are of any width.
func hostile(t interface{ Fatal(...any) }) browse.System {
	list := []string{
		"root|\x1b]52;c;eA==\x07\x1b[2J", "rtl|\u202eevil\u2066\u200f\u061c|root", "wide|" + strings.Repeat("漢字", 300) + "|root", "line|a\nb\r\nc\u2028d\u0085|root rtl",
		"long|" + strings.Repeat("x", 30_000) + "|line", "marks|e" + strings.Repeat("\u0301", 500) + "|root", "hidden|\u200b\u2060\ufeff\U000e0041|root", "emoji|👩\u200d⚕\ufe0f👨\u200d👩\u200d👧|root",
		"c1|\u009b31m\u009d|root", "hebrew|שלום|root",
	}
	above := "root"
	for i := range 60 { // deep
		list = append(list, fmt.Sprintf("deep%d|Deep|%s", i, above))
		above = fmt.Sprintf("deep%d", i)
	}
	for i := range 300 { // broad
		list = append(list, fmt.Sprintf("n%d|Number %d|marks", i, i))
	}
	return system(t, "hostile", list...)
}

// checkView fails unless a view has its size, and nothing in it acts on a terminal.
func checkView(t *rapid.T, m *browse.Model, width, height int) {
	view := m.View(width, height)
	if len(view) != height {
		t.Fatalf("%d lines, want %d", len(view), height)
	}
	for i, line := range view {
		used := 0
		for _, s := range line {
			used += displaywidth.String(s.Text)
			if !utf8.ValidString(s.Text) || command.Printable(s.Text) != s.Text {
				t.Fatalf("line %d: %q", i, s.Text)
			}
		}
		if used > width {
			t.Fatalf("line %d has %d columns of %d: %q", i, used, width, line)
		}
	}
}

// TestViewLaws checks that whatever is pressed, whatever the texts are, and whatever the size of the
// screen, a view fits it and is safe.
func TestViewLaws(t *testing.T) {
	systems := []browse.System{hostile(t), letters(t), system(t, "empty")}
	keys := []browse.Key{
		browse.Up, browse.Down, browse.Down, browse.Left, browse.Right, browse.Right, browse.PageUp, browse.PageDown, browse.Home, browse.End, browse.Enter,
		browse.Escape, browse.Tab, browse.Backspace, browse.Erase, "/", "s", "p", "y", "Y", "J", "E", "?", "j", "k", "h", "l", "g", "G", " ", "d", "e", "漢", "\x1b", "\u202e", "é", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		m := browse.New(systems, rapid.IntRange(0, len(systems)-1).Draw(t, "system"))
		for range rapid.IntRange(0, 60).Draw(t, "presses") {
			if m.Press(rapid.SampledFrom(keys).Draw(t, "key")) {
				t.Fatal("no key of these ends the browser")
			}
			checkView(t, m, rapid.IntRange(0, 130).Draw(t, "width"), rapid.IntRange(0, 40).Draw(t, "height"))
		}
	})
}

func TestNarrow(t *testing.T) {
	m := browse.New([]browse.System{letters(t)}, 0)
	for _, size := range [][2]int{{0, 0}, {1, 1}, {19, 10}, {80, 4}} {
		if view := m.View(size[0], size[1]); len(view) != size[1] {
			t.Errorf("%v: %d lines", size, len(view))
		}
	}
	if got := lines(m.View(19, 10))[0]; got != "too small" {
		t.Error(got)
	}
}

// TestPages: a page begins at its top, its items at the margin, and a row of the tree has room for its text.
func TestPages(t *testing.T) {
	deep := system(t, "deep", "a", "b||a", "c||b", "d||c", "e||d", "f||e", "g||f")
	m := browse.New([]browse.System{deep, letters(t)}, 0)
	last, _ := deep.Index.Find("g")
	m.Show(last)
	if got := body(m, 30, 12); !strings.HasSuffix(got, "\n          ▾ f\n>        6   g") {
		t.Error(got)
	}
	press(t, m, "s", browse.Down, browse.Enter, browse.Down, browse.Tab, browse.End, "p")
	if got := lines(m.View(30, 8)); got[1] != "a" {
		t.Errorf("%q", got)
	}
	press(t, m, "?")
	if got := body(m, 30, 40); !strings.HasPrefix(got, "/         find by words, codes\n  or their beginnings; tab\n") {
		t.Error(got)
	}
}
