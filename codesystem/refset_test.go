package codesystem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// someColumns are columns of every type.
func someColumns() []RefsetColumn {
	return []RefsetColumn{{"target", RefsetConcept}, {"priority", RefsetInteger}, {"advice", RefsetString}}
}

// drawMembers draws rows of two reference sets about some of the codes, and others.
func drawMembers(codes []string) *rapid.Generator[[]RefsetMember] {
	anything := rapid.SampledFrom(append(slices.Clone(codes), "absent", "C1", ""))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) RefsetMember {
		m := RefsetMember{
			Refset:        rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "refset"),
			Component:     anything.Draw(t, "component"),
			Active:        rapid.Bool().Draw(t, "active"),
			Module:        rapid.SampledFrom([]string{"m1", "m2", ""}).Draw(t, "module"),
			EffectiveTime: rapid.SampledFrom([]string{"20240101", "20250101"}).Draw(t, "time"),
		}
		if m.Refset == "r1" {
			m.Values = []string{
				anything.Draw(t, "target"), strconv.Itoa(rapid.IntRange(-1, 3).Draw(t, "priority")), rapid.StringN(0, 3, 9).Draw(t, "advice"),
			}
		}
		return m
	}), 0, 40)
}

// row is a row as the accessors return it.
type row struct {
	Component, Module, Time string
	Active                  bool
	Values                  []string
	Targets                 []int
}

func rowsOf(r *Refset, from, to int) (rows []row) {
	for i := from; i < to; i++ {
		read := row{Component: r.x.Code(r.Component(i)), Module: r.Module(i), Time: r.EffectiveTime(i), Active: r.Active(i)}
		for c := range r.Columns() {
			read.Values = append(read.Values, r.Value(i, c))
			target := -1
			if o, ok := r.Target(i, c); ok {
				target = int(o)
			}
			read.Targets = append(read.Targets, target)
		}
		rows = append(rows, read)
	}
	return rows
}

// Rows come back as they were added, by the concept they are about.
func TestRefsetsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := header("http://example.org/refsets")
		if rapid.Bool().Draw(t, "insensitive") {
			insensitive(h)
		}
		b := NewBuilder(h)
		codes := []string{"c0", "c1", "c2", "c3", "r1"}
		members := drawMembers(codes).Draw(t, "members")
		early := rapid.IntRange(0, len(members)).Draw(t, "early")
		add := func(list []RefsetMember) {
			for i := range list {
				if err := b.AddMember(&list[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for code, columns := range map[string][]RefsetColumn{"r1": someColumns(), "r2": nil, "r0": nil} {
			if err := b.AddRefset(code, columns); err != nil {
				t.Fatal(err)
			}
		}
		add(members[:early])
		for i, code := range codes {
			c := Concept{Code: code, Parent: -1}
			if i > 0 {
				// Ords are not the order of adding.
				c.Properties = []Property{{Code: "parent", Value: r4.Code(codes[rapid.IntRange(0, i-1).Draw(t, "parent")])}}
			}
			if _, err := b.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		add(members[early:])
		built := build(t, b, nil)
		again, err := FromBytes(slices.Clone(built.Bytes()), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*Index{built, again} {
			checkRefsets(t, x, members)
		}
	})
}

// checkRefsets compares reference sets with the rows that were added.
func checkRefsets(t rapid.TB, x *Index, members []RefsetMember) {
	t.Helper()
	if got := x.Refsets(); !slices.Equal(got, []string{"r0", "r1", "r2"}) {
		t.Fatal(got)
	}
	want := map[string]map[Ord][]row{"r0": {}, "r1": {}, "r2": {}}
	active := map[string]map[Ord]bool{"r0": {}, "r1": {}, "r2": {}}
	kept := 0
	for _, m := range members {
		o, ok := x.Find(m.Component)
		if !ok {
			continue
		}
		kept++
		read := row{Component: x.Code(o), Module: m.Module, Time: m.EffectiveTime, Active: m.Active, Values: m.Values}
		for i, v := range m.Values {
			target := -1
			if o, ok := x.Find(v); ok && someColumns()[i].Type == RefsetConcept {
				target = int(o)
			}
			read.Targets = append(read.Targets, target)
		}
		want[m.Refset][o] = append(want[m.Refset][o], read)
		if m.Active {
			active[m.Refset][o] = true
		}
	}
	if s := x.Stats(); s.Refsets != 3 || s.Members != kept || s.DroppedMembers != len(members)-kept {
		t.Fatalf("%+v, want %d members of %d", s, kept, len(members))
	}
	for _, code := range x.Refsets() {
		r, ok := x.Refset(code)
		if !ok || r.Code() != code {
			t.Fatal(code)
		}
		count := 0
		for o := range uint32(x.Len()) {
			first, end := r.RowsOf(o)
			if diff := cmp.Diff(want[code][o], rowsOf(r, first, end)); diff != "" {
				t.Fatalf("%s of %s: %s", code, x.Code(o), diff)
			}
			count += end - first
		}
		if count != r.Len() {
			t.Fatalf("%d rows of %d", count, r.Len())
		}
		if got := r.Members().ToArray(); !slices.Equal(got, slices.Sorted(maps.Keys(active[code]))) {
			t.Fatalf("members of %s: %v, want %v", code, got, active[code])
		}
	}
}

// Columns take as many bytes a cell as their distinct values need.
func TestRefsetColumnsOfAllWidths(t *testing.T) {
	const rows, concepts = 70_000, 100
	b := NewBuilder(nil)
	columns := []RefsetColumn{{"same", RefsetString}, {"ten", RefsetInteger}, {"thousand", RefsetString}, {"own", RefsetString}, {"concept", RefsetConcept}}
	if err := b.AddRefset("r", columns); err != nil {
		t.Fatal(err)
	}
	values := func(i int) []string {
		return []string{"x", strconv.Itoa(i % 10), fmt.Sprint("t", i%1000), fmt.Sprint("own", i), strconv.Itoa(i * 7 % concepts)}
	}
	for i := range concepts {
		if _, err := b.Add(&Concept{Code: strconv.Itoa(i), Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rows {
		if err := b.AddMember(&RefsetMember{Refset: "r", Component: strconv.Itoa(i % concepts), Active: i%concepts != 7, Values: values(i)}); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := build(t, b, nil).Refset("r")
	for o := range uint32(concepts) {
		first, end := r.RowsOf(o)
		if end-first != rows/concepts {
			t.Fatalf("%d rows about %d", end-first, o)
		}
		for row := first; row < end; row += 11 {
			i := int(o) + (row-first)*concepts
			for c, want := range values(i) {
				if got := r.Value(row, c); got != want {
					t.Fatalf("row %d, column %d: %q, want %q", row, c, got, want)
				}
			}
			if target, ok := r.Target(row, 4); !ok || target != uint32(i*7%concepts) {
				t.Fatalf("row %d: target %d, %v", row, target, ok)
			}
		}
	}
	if r.Members().GetCardinality() != concepts-1 {
		t.Error(r.Members().GetCardinality())
	}
}

func TestRefsetErrors(t *testing.T) {
	b := NewBuilder(nil)
	if err := b.AddRefset("r", someColumns()); err != nil {
		t.Fatal(err)
	}
	if err := b.AddRefset("r", someColumns()); err != nil {
		t.Errorf("declared again: %v", err)
	}
	good := RefsetMember{Refset: "r", Component: "a", Values: []string{"b", "", "c"}, Where: "x.txt: line 2"}
	if err := b.AddMember(&good); err != nil {
		t.Error(err)
	}
	for text, err := range map[string]error{
		"reference set without a code":                                    b.AddRefset("", nil),
		"reference set r is declared with other columns":                  b.AddRefset("r", nil),
		`reference set q: column "c" is of no known type`:                 b.AddRefset("q", []RefsetColumn{{Name: "c"}}),
		"x.txt: line 2: reference set q is not declared":                  b.AddMember(&RefsetMember{Refset: "q", Component: "a", Where: good.Where}),
		"reference set r: 1 values for 3 columns":                         b.AddMember(&RefsetMember{Refset: "r", Component: "a", Values: []string{"b"}}),
		`reference set r: column priority: "high" is not a valid integer`: b.AddMember(&RefsetMember{Refset: "r", Component: "a", Values: []string{"b", "high", "c"}}),
	} {
		if !errors.Is(err, ErrBadRefset) || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	if _, err := b.Build(context.Background()); err != nil {
		t.Error(err)
	}
	if err := b.AddMember(&good); err == nil {
		t.Error("added after Build")
	}
}

func ExampleRefset() {
	b := NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/animals"}})
	for _, code := range []string{"cat", "dog", "tiger"} {
		if _, err := b.Add(&Concept{Code: code, Parent: -1}); err != nil {
			fmt.Println(err)
			return
		}
	}
	_ = b.AddRefset("kept-as", []RefsetColumn{{Name: "target", Type: RefsetConcept}})
	_ = b.AddMember(&RefsetMember{Refset: "kept-as", Component: "tiger", Active: true, Values: []string{"cat"}})
	x, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	set, _ := x.Refset("kept-as")
	for _, o := range set.Members().ToArray() {
		first, end := set.RowsOf(o)
		for row := first; row < end; row++ {
			fmt.Println(x.Code(o), set.Value(row, 0))
		}
	}
	// Output: tiger cat
}
