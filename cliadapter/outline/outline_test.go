package outline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/cliadapter/outline"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// system builds a code system from lines "code Display: parents".
func system(t interface{ Fatal(...any) }, lines ...string) *codesystem.Index {
	header := &r4.CodeSystem{Content: "complete", HierarchyMeaning: "is-a"}
	header.ResourceType, header.URL, header.Version, header.Status = "CodeSystem", "http://example.org/s", "1", "active"
	b := codesystem.NewBuilder(header)
	for _, line := range lines {
		text, parents, _ := strings.Cut(line, ":")
		code, display, _ := strings.Cut(text, " ")
		c := codesystem.Concept{Code: code, Display: display, Parent: -1}
		for _, p := range strings.Fields(parents) {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(p)})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func find(t interface{ Fatal(...any) }, x *codesystem.Index, code string) codesystem.Ord {
	o, ok := x.Find(code)
	if !ok {
		t.Fatal("no code " + code)
	}
	return o
}

// diamond has concepts with several parents: d is below b and c, e below d and root.
func diamond() []string {
	return []string{"root Root", "b B:root", "c C:root", "d D:b c", "e E:d root", "f:e", "alone Alone"}
}

// many returns n children of a parent, each with a child.
func many(n int) []string {
	lines := []string{"top Top", "other Other:top", "o1:other"}
	for i := range n {
		lines = append(lines, fmt.Sprintf("n%05d Number:top", i), fmt.Sprintf("m%05d:n%05d", i, i))
	}
	return lines
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		name         string
		lines        []string
		top          string
		depth, limit int
		want         string
		shown        int
	}{
		{"alone", diamond(), "root", 0, 10, "root  Root  [3 children, 5 below]", 1},
		{"several parents", diamond(), "root", 9, 99, `
root  Root
├─ b  B
│  └─ d  D  [also in c]
│     └─ e  E  [opened above; also in root]
├─ e  E  [also in d]
│  └─ f
└─ c  C
   └─ d  D  [opened above; also in b]`, 8},
		{"closed at the depth", diamond(), "root", 2, 99, `
root  Root
├─ b  B
│  └─ d  D  [1 child, 2 below; also in c]
├─ e  E  [also in d]
│  └─ f
└─ c  C
   └─ d  D  [1 child, 2 below; also in b]`, 7},
		{"roots", diamond(), "", 1, 99, `
root  Root
├─ b  B  [1 child, 3 below]
├─ e  E  [1 below; also in d]
└─ c  C  [1 child, 3 below]
alone  Alone`, 5},
		{"roots that are left out", diamond(), "", 1, 1, "root  Root  [3 children, 5 below]\n… 1 more", 1},
		{"more children than the limit", many(10_000), "top", 9, 5, `
top  Top
├─ other  Other  [1 below]
├─ n00000  Number  [1 below]
├─ n00001  Number  [1 below]
├─ n00002  Number  [1 below]
└─ … 9,997 more`, 5},
		{"many beside few", append(many(40), "second Second", "s1:second", "s2:second"), "", 1, 8, `
top  Top
├─ other  Other  [1 below]
├─ n00000  Number  [1 below]
├─ n00001  Number  [1 below]
├─ n00002  Number  [1 below]
└─ … 37 more
second  Second
├─ s1
└─ s2`, 8},
		{"no room for the last level", diamond(), "root", 9, 5, `
root  Root
├─ b  B
│  └─ d  D  [1 child, 2 below; also in c]
├─ e  E  [1 below; also in d]
└─ c  C  [1 child, 3 below]`, 5},
	} {
		x := system(t, c.lines...)
		top := x.Roots().ToArray()
		if c.top != "" {
			top = []codesystem.Ord{find(t, x, c.top)}
		}
		tree, err := outline.Below(context.Background(), x, top, c.depth, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimPrefix(c.want, "\n"), "\n"), tree.Lines()); diff != "" || tree.Shown != c.shown {
			t.Errorf("%s: %d shown, want %d: -want +got\n%s", c.name, tree.Shown, c.shown, diff)
		}
	}
}

func TestAbove(t *testing.T) {
	x := system(t, diamond()...)
	for _, c := range []struct {
		code   string
		limit  int
		want   string
		others string
		more   int
	}{
		{"root", 9, "root  Root", "", 0},
		{"f", 9, `
root  Root
└─ b  B
   └─ d  D
      ↖ c  C
      └─ e  E
         ↖ root  Root
         └─ f`, "c", 0},
		{"f", 0, `
root  Root
└─ b  B
   └─ d  D
      ↖ c  C
      └─ e  E
         ↖ root  Root
         └─ f`, "", 1},
	} {
		a := outline.Above(x, find(t, x, c.code), c.limit)
		var others []string
		for _, r := range a.Others {
			others = append(others, r.Code)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimPrefix(c.want, "\n"), "\n"), a.Lines()); diff != "" || strings.Join(others, " ") != c.others || a.More != c.more {
			t.Errorf("%s: others %v, %d more: -want +got\n%s", c.code, others, a.More, diff)
		}
	}
}

// graphs draws hierarchies in which each concept may have several parents, all of them before it.
func graphs() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		var lines []string
		for i := range rapid.IntRange(1, 30).Draw(t, "concepts") {
			line := fmt.Sprintf("c%d:", i)
			if i > 0 {
				for _, p := range rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 3), rapid.ID[int]).Draw(t, "parents") {
					line += fmt.Sprintf(" c%d", p)
				}
			}
			lines = append(lines, line)
		}
		return lines
	})
}

// TestBelowLaws checks for any graph that a tree keeps its limit, opens each concept once, accounts
// for all children of those that it opens, and with room for all shows all.
func TestBelowLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := system(t, graphs().Draw(t, "graph")...)
		top := x.Roots().ToArray()
		depth, limit := rapid.IntRange(0, 31).Draw(t, "depth"), rapid.IntRange(1, 40).Draw(t, "limit")
		tree, err := outline.Below(context.Background(), x, top, depth, limit)
		if err != nil {
			t.Fatal(err)
		}
		opened := map[string]bool{}
		count := 0
		var walk func(nodes []*outline.Node, level int)
		walk = func(nodes []*outline.Node, level int) {
			for _, n := range nodes {
				count++
				if level > depth {
					t.Fatalf("%s is on level %d", n.Code, level)
				}
				if n.Repeated && (len(n.Nodes) > 0 || n.More > 0) {
					t.Fatalf("%s is repeated and open", n.Code)
				}
				if len(n.Nodes) == 0 {
					continue
				}
				if opened[n.Code] || len(n.Nodes)+n.More != n.Children {
					t.Fatalf("%s: opened before: %v; %d + %d of %d children", n.Code, opened[n.Code], len(n.Nodes), n.More, n.Children)
				}
				opened[n.Code] = true
				walk(n.Nodes, level+1)
			}
		}
		walk(tree.Nodes, 0)
		if count != tree.Shown || count > limit || len(tree.Nodes)+tree.More != len(top) {
			t.Fatalf("%d in the outline, %d shown, limit %d", count, tree.Shown, limit)
		}
		if drawn := len(tree.Lines()); drawn < count {
			t.Fatalf("%d lines for %d concepts", drawn, count)
		}
		whole, err := outline.Below(context.Background(), x, top, 99, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		edges := len(top) // each edge is drawn once
		for o := range codesystem.Ord(x.Len()) {
			edges += len(x.Parents(o))
		}
		if whole.Shown != edges {
			t.Fatalf("%d of %d shown", whole.Shown, edges)
		}
	})
}

// TestPathLaws checks for any graph that a path leads from a root by parents, and that path and others
// are all ancestors.
func TestPathLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := system(t, graphs().Draw(t, "graph")...)
		o := codesystem.Ord(rapid.IntRange(0, x.Len()-1).Draw(t, "concept"))
		path := outline.Path(x, o)
		if !x.Root(path[0]) || path[len(path)-1] != o {
			t.Fatalf("path %v to %d", path, o)
		}
		for i := 1; i < len(path); i++ {
			if !slices.Contains(x.Parents(path[i]), path[i-1]) {
				t.Fatalf("path %v", path)
			}
		}
		a := outline.Above(x, o, 1000)
		all := []string{}
		for _, p := range x.Ancestors(o) {
			all = append(all, x.Code(p))
		}
		got := []string{}
		for _, n := range a.Path[:len(a.Path)-1] {
			got = append(got, n.Code)
		}
		for _, r := range a.Others {
			got = append(got, r.Code)
		}
		slices.Sort(all)
		slices.Sort(got)
		if !slices.Equal(all, got) || a.Ancestors != len(all) {
			t.Fatalf("%v, want %v", got, all)
		}
	})
}

func TestBelowEnds(t *testing.T) {
	x := system(t, diamond()...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := outline.Below(ctx, x, x.Roots().ToArray(), 2, 10); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
