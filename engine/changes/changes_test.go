package changes_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/changes"
	"github.com/roget-health/roget/resources/r4"
)

type concept struct {
	code, display, status string
	abstract              bool
	parents               []string
}

// TestSides: the values of a list, or the only ones.
func TestSides(t *testing.T) {
	for want, f := range map[string]changes.Field{
		"a to b": {Old: "a", New: "b"}, " to x": {Added: []string{"x"}}, "x to ": {Removed: []string{"x"}}, "x|y to z": {Removed: []string{"x", "y"}, Added: []string{"z"}},
	} {
		if old, current := f.Sides(); old+" to "+current != want {
			t.Errorf("%q to %q, want %s", old, current, want)
		}
	}
}

// TestTarget: a value names a concept by its code, or as a Coding of the same code system.
func TestTarget(t *testing.T) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/s"}, Content: "complete"})
	coding := func(system, code string) r4.Value {
		return r4.Value{Type: "Coding", Coding: &r4.Coding{System: system, Code: code}}
	}
	values := []r4.Value{r4.Code("b"), r4.String("b"), coding("http://example.org/s", "b"), coding("http://example.org/t", "b"), r4.Code("none"), {Type: "Integer", Text: "7"}}
	for _, code := range []string{"a", "b", "7"} {
		c := codesystem.Concept{Code: code, Parent: -1}
		for i := range values {
			c.Properties = append(c.Properties, codesystem.Property{Code: fmt.Sprint("p", i), Value: values[i]})
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for a := range x.Attributes(0) {
		o, ok := changes.Target(x, a.Pair)
		if is := x.PropertyCode(a.Property) < "p3"; ok != is || is && x.Code(o) != "b" {
			t.Errorf("%v names %d, %v", x.PairValue(a.Pair), o, ok)
		}
	}
}

// TestMeaning: the definition and the texts that define a concept, each once, say what it means.
func TestMeaning(t *testing.T) {
	version := func(definition string, texts ...string) *codesystem.Index {
		b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/s"}, Content: "complete"})
		c := codesystem.Concept{Code: "a", Definition: definition, Parent: -1}
		for _, text := range texts {
			use, value, _ := strings.Cut(text, " ")
			c.Designations = append(c.Designations, r4.Designation{Use: &r4.Coding{Code: use}, Value: value})
			c.Details = append(c.Details, codesystem.DesignationDetail{Inactive: strings.HasSuffix(value, "retired")})
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
	const name, text, synonym = "900000000000003001 ", "900000000000550004 ", "900000000000013009 "
	none := version("")
	for want, x := range map[string]*codesystem.Index{
		"":          version("", synonym+"b", name+"retired"),
		"b":         version("", name+"b"),
		"d":         version("d", text+"d"),
		"b | d | e": version("e", text+"d", name+"b", name+"b", synonym+"c", text+"retired"),
	} {
		l, got := compare(t, none, x), ""
		for _, c := range l.Changed {
			got = c.Fields[0].Name + " " + c.Fields[0].New
		}
		if want != "" {
			want = "definition " + want
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func system(t interface{ Fatal(...any) }, version string, caseSensitive bool, concepts ...concept) *codesystem.Index {
	header := &r4.CodeSystem{Content: "complete", HierarchyMeaning: "is-a", CaseSensitive: &caseSensitive}
	header.ResourceType, header.URL, header.Version, header.Status = "CodeSystem", "http://example.org/s", version, "active"
	b := codesystem.NewBuilder(header)
	for _, c := range concepts {
		add := codesystem.Concept{Code: c.code, Display: c.display, Parent: -1}
		for _, p := range c.parents {
			add.Properties = append(add.Properties, codesystem.Property{Code: "parent", Value: r4.Code(p)})
		}
		if c.status != "" {
			add.Properties = append(add.Properties, codesystem.Property{Code: "status", Value: r4.Code(c.status)})
		}
		if c.abstract {
			add.Properties = append(add.Properties, codesystem.Property{Code: "notSelectable", Value: r4.Boolean(true)})
		}
		if _, err := b.Add(&add); err != nil {
			t.Fatal(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func compare(t interface{ Fatal(...any) }, old, current *codesystem.Index) *changes.List {
	l, err := changes.Systems(context.Background(), old, current)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSystems(t *testing.T) {
	old := system(t, "1", false,
		concept{code: "root", display: "Root"}, concept{code: "a", display: "A", parents: []string{"root"}},
		concept{code: "b", display: "B", parents: []string{"root"}}, concept{code: "gone", display: "Gone", parents: []string{"a"}},
		concept{code: "moved", display: "Moved", parents: []string{"a", "b"}}, concept{code: "Spelled", display: "S", parents: []string{"root"}},
		concept{code: "stated", status: "active"}, concept{code: "silent"})
	current := system(t, "2", false,
		concept{code: "root", display: "The root", abstract: true}, concept{code: "a", display: "A", parents: []string{"root"}},
		concept{code: "b", display: "B", status: "retired", parents: []string{"root"}},
		concept{code: "moved", display: "Moved", parents: []string{"b", "root"}}, concept{code: "SPELLED", display: "S", parents: []string{"root"}},
		concept{code: "new", display: "New", parents: []string{"a"}}, concept{code: "stated"}, concept{code: "silent", status: "active"})
	l := compare(t, old, current)
	want := []string{
		"--- http://example.org/s|1", "+++ http://example.org/s|2",
		"- gone  Gone",
		"+ new  New",
		"~ root  display: Root → The root",
		"~ root  abstract: false → true",
		"~ b  status: active → retired",
		"~ moved  parents: -a +root",
		"~ SPELLED  code: Spelled → SPELLED",
	}
	if diff := cmp.Diff(want, l.Lines()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if total := l.Total(); total != "1 removed, 1 added, 4 changed, 3 unchanged" || l.Same() {
		t.Error(total)
	}
	var out bytes.Buffer
	if err := l.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 8 {
		t.Fatalf("%v: %v", rows, err)
	}
	if got := rows[6]; !slices.Equal(got, []string{"changed", "", "moved", "Moved", "parents", "a", "root"}) {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := changes.Systems(ctx, old, current); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSets(t *testing.T) {
	member := func(system, code, display string, inactive, abstract bool) changes.Member {
		return changes.Member{Concept: changes.Concept{System: system, Code: code, Display: display}, Inactive: inactive, Abstract: abstract}
	}
	l := changes.Sets("http://a", []changes.Member{
		member("x", "1", "One", false, false), member("y", "1", "Uno", false, false), member("x", "2", "Two", false, false), member("x", "3", "", false, false),
	}, "http://b", []changes.Member{
		member("x", "1", "One", true, true), member("y", "1", "Uno", false, false), member("x", "2", "Deux", false, false), member("z", "3", "Three", false, false),
	})
	want := []string{"--- http://a", "+++ http://b", "- x|3", "+ z|3  Three", "~ x|1  status: active → inactive", "~ x|1  abstract: false → true", "~ x|2  display: Two → Deux"}
	if diff := cmp.Diff(want, l.Lines()); diff != "" || l.Unchanged != 1 {
		t.Errorf("%d unchanged: -want +got\n%s", l.Unchanged, diff)
	}
}

// versions draws a version of a code system with codes c0 to c11.
func versions(version string) *rapid.Generator[[]concept] {
	return rapid.Custom(func(t *rapid.T) []concept {
		var list []concept
		for i := range 12 {
			if rapid.Bool().Draw(t, "has") {
				c := concept{
					code:     fmt.Sprintf("c%d", i),
					display:  rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "display"),
					status:   rapid.SampledFrom([]string{"", "active", "retired"}).Draw(t, "status"),
					abstract: rapid.Bool().Draw(t, "abstract"),
				}
				for _, p := range list {
					if rapid.IntRange(0, 3).Draw(t, "parent") == 0 {
						c.parents = append(c.parents, p.code)
					}
				}
				list = append(list, c)
			}
		}
		return list
	})
}

// TestSystemsLaws checks for any two versions that each code is in one list, that no version differs
// from itself, and that the other direction is the mirror image.
func TestSystemsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, current := system(t, "1", true, versions("1").Draw(t, "old")...), system(t, "2", true, versions("2").Draw(t, "new")...)
		l, back := compare(t, old, current), compare(t, current, old)
		if got := len(l.Added) + len(l.Changed) + l.Unchanged; got != current.Len() {
			t.Fatalf("%d of %d codes of the new version", got, current.Len())
		}
		if got := len(l.Removed) + len(l.Changed) + l.Unchanged; got != old.Len() {
			t.Fatalf("%d of %d codes of the old version", got, old.Len())
		}
		if !compare(t, old, old).Same() || l.Same() != back.Same() {
			t.Fatal("a version differs from itself, or from another one in one direction")
		}
		if !slices.Equal(codes(l.Added), codes(back.Removed)) || !slices.Equal(codes(l.Removed), codes(back.Added)) || len(l.Changed) != len(back.Changed) {
			t.Fatalf("%v and back %v", l, back)
		}
		mirror := map[string]string{}
		for _, c := range back.Changed {
			for _, f := range c.Fields {
				mirror[c.Code+f.Name] = f.New + "→" + f.Old + strings.Join(f.Added, " ") + "→" + strings.Join(f.Removed, " ")
			}
		}
		for _, c := range l.Changed {
			for _, f := range c.Fields {
				if want := f.Old + "→" + f.New + strings.Join(f.Removed, " ") + "→" + strings.Join(f.Added, " "); mirror[c.Code+f.Name] != want {
					t.Fatalf("%s %s: %s, back %s", c.Code, f.Name, want, mirror[c.Code+f.Name])
				}
			}
		}
	})
}

func codes(list []changes.Concept) []string {
	var all []string
	for _, c := range list {
		all = append(all, c.Code)
	}
	slices.Sort(all)
	return all
}
