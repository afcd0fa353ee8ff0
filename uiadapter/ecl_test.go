package uiadapter_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The workbench shows what an expression selects, or where it is wrong.
func TestWorkbench(t *testing.T) {
	h := serve(t, setsWorld(t))
	root := opened(t, h, address("ecl", "system", plants, "q", "<< code#tree MINUS code#dwarf"))
	if got := text(one(t, root, "p", "class", "summary")); got != "3 concepts (1 to 3)" {
		t.Errorf("summary %q", got)
	}
	if got := text(one(t, root, "textarea", "name", "q")); got != "<< code#tree MINUS code#dwarf" {
		t.Errorf("the editor has %q", got)
	}
	set, _ := attr(all(root, "a", "class", "button")[0], "href")
	if got := text(one(t, opened(t, h, "/ui/"+set), "p", "class", "summary")); got != "3 codes (1 to 3)" {
		t.Errorf("the value set of the expression has %q", got)
	}
	root = opened(t, h, address("ecl", "system", wide, "q", "<< code#top", "offset", "50"))
	if got := text(one(t, root, "p", "class", "summary")); got != "1202 concepts (51 to 100)" {
		t.Errorf("summary of the second page %q", got)
	}
	root = opened(t, h, "/ui/ecl")
	if got, _ := attr(one(t, one(t, root, "select", "name", "system"), "option", "selected", ""), "value"); got != sct {
		t.Errorf("without a choice, the code system is %q", got)
	}
}

// A mistake is shown at its line and column, with the status of a request that cannot be processed.
func TestMistakes(t *testing.T) {
	h := serve(t, setsWorld(t))
	for _, test := range []struct{ expression, place, at string }{
		{"<< code#tree\nAND )", "Line 2, column 5:", ")"},
		{"<<", "Line 1, column 3:", "␣"},
		{"code#tree AND code#none", "Line 1, column 15:", "code#none"},
		{"<< ü", "Line 1, column 4:", "ü"},
	} {
		status, root := open(t, h, address("ecl", "system", plants, "q", test.expression), false)
		mistake := one(t, root, "div", "class", "mistake")
		if got := text(mistake); status != http.StatusUnprocessableEntity || !strings.HasPrefix(got, test.place) {
			t.Errorf("%q: status %d, %q", test.expression, status, got)
		}
		if got := text(one(t, mistake, "mark")); got != test.at {
			t.Errorf("%q: marked %q, want %q", test.expression, got, test.at)
		}
	}
}

// Completion offers attributes where an attribute is expected, concepts elsewhere, and nothing in
// terms and after concepts.
func TestCompletion(t *testing.T) {
	h := serve(t, setsWorld(t))
	offered := func(before string) []*html.Node {
		t.Helper()
		status, root := open(t, h, address("complete", "system", sct, "before", before), true)
		if status != http.StatusOK {
			t.Fatalf("%q: status %d", before, status)
		}
		return all(root, "li", "role", "option")
	}
	for _, test := range []struct{ before, want, remove string }{
		{"<< femur", "Fracture of femur", "5"},
		{"<< 404684003 |Finding| : ", "Finding site", "0"},
		{"<< 404684003 : morph", "Associated morphology", "5"},
		{"<< 404684003 : 363698007 = fem", "Femur", "3"},
		{"<< 200 and open fr", "Open fracture", "7"},
		{"ııııııııııı OR femur", "Fracture of femur", "5"},
	} {
		list := offered(test.before)
		found := false
		for _, o := range list {
			remove, _ := attr(o, "data-remove")
			found = found || strings.Contains(text(o), test.want) && remove == test.remove
		}
		if !found {
			t.Errorf("%q: offered %q, want %s in place of %s characters", test.before, texts(list), test.want, test.remove)
		}
	}
	for _, before := range []string{"", "<", "<< 200 |fem", "<< 200 |Fracture| fem", `<< 200 {{ term = "fem`} {
		if list := offered(before); len(list) > 0 {
			t.Errorf("%q: offered %q", before, texts(list))
		}
	}
}

// The workbench refuses what it cannot show, and hostile texts do nothing.
func TestWorkbenchInert(t *testing.T) {
	h := serve(t, setsWorld(t))
	if status, _ := open(t, h, address("ecl", "q", strings.Repeat("x", 7000)), false); status != http.StatusBadRequest {
		t.Errorf("a long expression has status %d", status)
	}
	for _, q := range []string{attack, `code#"a"`, "</textarea><script>"} {
		_, root := open(t, h, address("ecl", "system", hostile, "q", q), false)
		sound(t, q, root)
	}
	sound(t, "all", opened(t, h, address("ecl", "system", hostile, "q", "*")))
}
