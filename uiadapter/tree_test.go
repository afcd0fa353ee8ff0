package uiadapter_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// rows returns the concepts that a tree shows, by level: "2 tree" is open if it begins with "-", closed
// if it begins with "+", and chosen if it ends with "*".
func rows(root *html.Node) []string {
	var list []string
	for _, item := range all(root, "a", "role", "treeitem") {
		level, _ := attr(item, "aria-level")
		code, concept := attr(item, "data-code")
		if !concept {
			list = append(list, level+" "+text(item))
			continue
		}
		row := level + " " + code
		switch open, _ := attr(item, "aria-expanded"); open {
		case "true":
			row = "-" + row
		case "false":
			row = "+" + row
		}
		if _, chosen := attr(item, "aria-current"); chosen {
			row += "*"
		}
		list = append(list, row)
	}
	return list
}

func TestTree(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"the only one at the top is open", []string{"system", plants}, "-1 plant +2 fruit +2 herb +2 tree"},
		{"a path is open", []string{"system", plants, "code", "herb"}, "-1 plant +2 fruit +2 herb* +2 tree"},
		{"the shortest path", []string{"system", plants, "code", "dwarf"}, "-1 plant +2 fruit +2 herb -2 tree -3 apple 4 dwarf* 3 pear"},
		{"another path", []string{"system", plants, "code", "dwarf", "via", "plant", "via", "fruit", "via", "apple"}, "-1 plant -2 fruit -3 apple 4 dwarf* 3 pear +2 herb +2 tree"},
		{"no such path", []string{"system", plants, "code", "dwarf", "via", "herb", "via", "apple"}, "-1 plant +2 fruit +2 herb -2 tree -3 apple 4 dwarf* 3 pear"},
		{"what is open", []string{"system", plants, "open", "plant", "open", "herb"}, "-1 plant +2 fruit -2 herb 3 mint +2 tree"},
		{"open in one place only", []string{"system", plants, "open", "plant", "open", "fruit", "open", "tree", "open", "apple  tree"}, "-1 plant -2 fruit +3 apple 3 pear +2 herb -2 tree -3 apple 4 dwarf 3 pear"},
		{"what does not exist is not open", []string{"system", plants, "open", "plant", "open", "herb  fruit", "open", "unicorn"}, "-1 plant +2 fruit +2 herb +2 tree"},
		{"an inactive concept has no place", []string{"system", plants, "code", "old"}, "+1 plant 1 old*"},
		{"in German", []string{"system", plants, "lang", "de"}, "-1 plant +2 tree +2 herb +2 fruit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := opened(t, h, address("tree", tt.pairs...))
			if got := strings.Join(rows(root), " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			sound(t, tt.name, root)
		})
	}
}

// A link of a tree without scripts opens a concept and keeps the rest open; the same link closes it.
func TestTreeLinks(t *testing.T) {
	h := serve(t, world(t))
	follow := func(root *html.Node, code string) *html.Node {
		t.Helper()
		for _, item := range all(root, "a", "role", "treeitem", "data-code", code) {
			href, _ := attr(item, "href")
			return opened(t, h, "/ui/"+href)
		}
		t.Fatalf("%s is not there", code)
		return nil
	}
	root := opened(t, h, address("tree", "system", plants))
	for _, step := range []struct{ code, want string }{
		{"herb", "-1 plant +2 fruit -2 herb* 3 mint +2 tree"},
		{"fruit", "-1 plant -2 fruit* +3 apple 3 pear -2 herb 3 mint +2 tree"},
		{"fruit", "-1 plant +2 fruit* -2 herb 3 mint +2 tree"},
		{"tree", "-1 plant +2 fruit -2 herb 3 mint -2 tree* +3 apple 3 pear"},
		{"apple", "-1 plant +2 fruit -2 herb 3 mint -2 tree -3 apple* 4 dwarf 3 pear"},
		{"herb", "-1 plant +2 fruit -2 herb* 3 mint -2 tree -3 apple 4 dwarf 3 pear"},
	} {
		root = follow(root, step.code)
		if got := strings.Join(rows(root), " "); got != step.want {
			t.Fatalf("after %s: %s, want %s", step.code, got, step.want)
		}
	}
}

// Of many siblings, a window is shown, and links lead to the others: as pages, and as parts.
func TestTreeWindows(t *testing.T) {
	h := serve(t, world(t))
	root := opened(t, h, address("tree", "system", wide, "code", "n00600"))
	list := all(root, "a", "role", "treeitem", "aria-level", "2")
	if first, last := text(list[0]), text(list[len(list)-1]); len(list) != 102 || first != "551 before" || last != "550 more" {
		t.Fatalf("%d items from %q to %q", len(list), first, last)
	}
	for i, item := range list[1 : len(list)-1] {
		size, _ := attr(item, "aria-setsize")
		position, _ := attr(item, "aria-posinset")
		if size != "1201" || position != strconv.Itoa(552+i) {
			t.Fatalf("item %d is %s of %s", i, position, size)
		}
	}
	seen := map[string]bool{}
	for part := "branch?" + strings.TrimPrefix(address("", "system", wide, "code", "top", "id", "t1"), "/ui/?"); part != ""; {
		status, root := open(t, h, "/ui/"+part, true)
		if status != http.StatusOK {
			t.Fatalf("%s: status %d", part, status)
		}
		part = ""
		for _, item := range all(root, "a", "role", "treeitem") {
			id, _ := attr(item, "id")
			if seen[id] {
				t.Fatalf("the id %s is there twice", id)
			}
			seen[id] = true
			if more, has := attr(item, "data-more"); has && strings.HasSuffix(text(item), "more") {
				part = more
				delete(seen, id)
			}
		}
		for id := range seen { // those for siblings before
			if strings.HasPrefix(id, "t1b") {
				delete(seen, id)
			}
		}
	}
	if len(seen) != 1201 {
		t.Errorf("the parts have %d items, want 1201", len(seen))
	}
	href, _ := attr(list[len(list)-1], "href")
	root = opened(t, h, "/ui/"+href)
	if list = all(root, "a", "aria-level", "2"); text(list[0]) != "651 before" || text(list[1]) != "Number 00650 n00650" {
		t.Errorf("the next page begins with %q, %q", text(list[0]), text(list[1]))
	}
}

// Siblings of a graph are sorted by display, those of a tree stay in the order of their source.
func TestTreeOrder(t *testing.T) {
	e := engine.New()
	x := build(t, r4.CodeSystem{Header: r4.Header{URL: plants}}, nil, c{code: "top"}, c{code: "2", display: "b", parents: []string{"top"}}, c{code: "1", display: "a", parents: []string{"top"}})
	if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows(opened(t, serve(t, e), address("tree", "system", plants))), " "); got != "-1 top 2 2 2 1" {
		t.Errorf("%s, want the order of the source", got)
	}
}

// The card beside the tree has what the tree does not show: the other paths.
func TestTreeCard(t *testing.T) {
	h := serve(t, world(t))
	for _, part := range []bool{false, true} {
		page := "tree"
		if part {
			page = "card"
		}
		_, root := open(t, h, address(page, "system", plants, "code", "dwarf"), part)
		ways := one(t, root, "ol", "class", "ways")
		if got := texts(all(ways, "li")); !slices.Equal(got, []string{"Plant › Fruit plant › Apple tree"}) {
			t.Errorf("paths %q", got)
		}
		href, _ := attr(one(t, ways, "a"), "href")
		if got := strings.Join(rows(opened(t, h, "/ui/"+href)), " "); got != "-1 plant -2 fruit -3 apple 4 dwarf* 3 pear +2 herb +2 tree" {
			t.Errorf("its link leads to %s", got)
		}
	}
}

func TestTreeErrors(t *testing.T) {
	h := serve(t, world(t))
	for _, tt := range []struct {
		address string
		part    bool
		status  int
	}{
		{address("tree", "system", "http://nowhere"), false, http.StatusNotFound},
		{address("tree", "system", plants, "code", "unicorn"), false, http.StatusNotFound},
		{address("branch", "system", plants, "code", "unicorn", "id", "t"), true, http.StatusNotFound},
		{address("branch", "system", plants, "code", "tree", "id", `"><x`), true, http.StatusBadRequest},
		{address("branch", "system", plants, "code", "tree"), true, http.StatusBadRequest},
		{address("card", "system", plants, "code", ""), true, http.StatusNotFound},
		{address("branch", "system", plants, "code", "tree", "id", "t"), false, http.StatusSeeOther}, // a part is no page
		{address("tree", "system", plants, "from", "99999", "of", "tree", "open", "plant", "open", "tree"), false, http.StatusOK},
	} {
		if status, root := open(t, h, tt.address, tt.part); status != tt.status {
			t.Errorf("%s: status %d, want %d: %s", tt.address, status, tt.status, text(root))
		}
	}
}

// TestTreeLaws compares trees of random graphs with the graph: the chosen concept is there once, each
// concept is below one of its parents, and positions are those among all siblings.
func TestTreeLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 14).Draw(rt, "concepts")
		concepts := make([]c, n)
		for i := range concepts {
			concepts[i] = c{code: strconv.Itoa(i), display: string(rune('a' + (i*7)%26))}
			for p := range i {
				if rapid.IntRange(0, 3).Draw(rt, "parent") == 0 {
					concepts[i].parents = append(concepts[i].parents, strconv.Itoa(p))
				}
			}
		}
		x := build(t, r4.CodeSystem{Header: r4.Header{URL: plants}}, nil, concepts...)
		e := engine.New()
		if err := e.Publish(engine.CodeSystemEntry(x, "test")); err != nil {
			rt.Fatal(err)
		}
		h := serve(t, e)
		pairs := []string{"system", plants}
		chosen := ""
		if rapid.Bool().Draw(rt, "chosen") {
			chosen = strconv.Itoa(rapid.IntRange(0, n-1).Draw(rt, "code"))
			pairs = append(pairs, "code", chosen)
		}
		for i := range n {
			if rapid.Bool().Draw(rt, "open") {
				pairs = append(pairs, "open", strconv.Itoa(i))
			}
		}
		root := opened(t, h, address("tree", pairs...))
		sound(t, "tree", root)
		found := 0
		var above []codesystem.Ord // by level
		for _, item := range all(root, "a", "role", "treeitem") {
			code, _ := attr(item, "data-code")
			o, _ := x.Find(code)
			levelText, _ := attr(item, "aria-level")
			level, _ := strconv.Atoi(levelText)
			siblings := x.Roots().ToArray()
			if level > 1 {
				siblings = x.Children(above[level-2])
			}
			if !slices.Contains(siblings, o) {
				rt.Fatalf("%s is not below what it is shown below", code)
			}
			if size, _ := attr(item, "aria-setsize"); size != strconv.Itoa(len(siblings)) {
				rt.Fatalf("%s is one of %s, want %d", code, size, len(siblings))
			}
			above = append(above[:level-1], o)
			if _, is := attr(item, "aria-current"); is {
				found++
				if code != chosen {
					rt.Fatalf("%s is chosen, want %s", code, chosen)
				}
			}
			expanded, has := attr(item, "aria-expanded")
			if has == x.Leaf(o) {
				rt.Fatalf("%s can be opened: %v, leaf: %v", code, has, x.Leaf(o))
			}
			if group := all(item.Parent, "ul", "role", "group"); (expanded == "true") != (len(group) > 0) {
				rt.Fatalf("%s is open: %s, with %d groups", code, expanded, len(group))
			}
		}
		if (chosen != "") != (found == 1) {
			rt.Fatalf("%q is chosen in %d places", chosen, found)
		}
	})
}
