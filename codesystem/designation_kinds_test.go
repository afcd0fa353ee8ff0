package codesystem

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// described is a designation with its detail.
type described struct {
	Designation r4.Designation
	Detail      DesignationDetail
}

func describedAtRandom() *rapid.Generator[described] {
	return rapid.Custom(func(t *rapid.T) described {
		var d described
		d.Designation.Value = rapid.SampledFrom([]string{"Heart", "Herz", "", "Heart attack"}).Draw(t, "value")
		d.Designation.Language = rapid.SampledFrom([]string{"", "en", "de"}).Draw(t, "language")
		if rapid.Bool().Draw(t, "use") {
			d.Designation.Use = &r4.Coding{Code: rapid.SampledFrom([]string{"fsn", "synonym"}).Draw(t, "code")}
			if rapid.Bool().Draw(t, "selected") {
				d.Designation.Use.UserSelected = new(rapid.Bool().Draw(t, "by user"))
			}
		}
		d.Detail.ID = rapid.SampledFrom([]string{"", "0", "12", "10009999999115", "999999999999999999", "18446744073709551616", "012", "d-1", "+5", "d-2"}).Draw(t, "id")
		d.Detail.Inactive = rapid.Bool().Draw(t, "inactive")
		d.Detail.Module = rapid.SampledFrom([]string{"", "m"}).Draw(t, "module")
		d.Detail.EffectiveTime = rapid.SampledFrom([]string{"", "20250101"}).Draw(t, "time")
		d.Detail.CaseSignificance = rapid.SampledFrom([]string{"", "ci"}).Draw(t, "case")
		d.Detail.Acceptability = rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Acceptability {
			return Acceptability{Refset: rapid.SampledFrom([]string{"us", "gb", "nz"}).Draw(t, "refset"), Preferred: rapid.Bool().Draw(t, "preferred")}
		}), 0, 3, func(a Acceptability) string { return a.Refset }).Draw(t, "acceptability")
		return d
	})
}

// Details come back, whatever the designations of the concepts; without the inactive
// ones the system is as one that never had them.
func TestDetailsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, visible := NewBuilder(header("http://example.org/d")), NewBuilder(header("http://example.org/d"))
		all := map[string][]described{}
		for i := range rapid.IntRange(1, 6).Draw(t, "concepts") {
			c := Concept{Code: fmt.Sprint("c", i), Display: "Liver", Parent: -1}
			if i > 0 {
				c.Properties = []Property{{Code: "parent", Value: r4.Code(fmt.Sprint("c", rapid.IntRange(0, i-1).Draw(t, "parent")))}}
			}
			plain := c
			list := rapid.SliceOfN(describedAtRandom(), 0, 4).Draw(t, "designations")
			detailed := rapid.Bool().Draw(t, "detailed")
			for j := range list {
				if !detailed {
					list[j].Detail = DesignationDetail{}
				}
				c.Designations = append(c.Designations, list[j].Designation)
				if !list[j].Detail.Inactive {
					plain.Designations = append(plain.Designations, list[j].Designation)
				}
				if detailed {
					c.Details = append(c.Details, list[j].Detail)
				}
			}
			all[c.Code] = list
			for _, added := range []struct {
				to *Builder
				c  *Concept
			}{{b, &c}, {visible, &plain}} {
				if _, err := added.to.Add(added.c); err != nil {
					t.Fatal(err)
				}
			}
		}
		built := build(t, b, nil)
		again, err := FromBytes(slices.Clone(built.Bytes()), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*Index{built, again} {
			checkDetails(t, x, all)
		}
		if diff := gocmp.Diff(plainContents(build(t, visible, nil)), plainContents(built)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// plainContents returns the contents of an index without inactive designations.
func plainContents(x *Index) contents {
	c := contentsOf(x)
	for i := range c.Concepts {
		c.Concepts[i].Details = nil
	}
	return c
}

func checkDetails(t rapid.TB, x *Index, all map[string][]described) {
	t.Helper()
	owner := uint32(0)
	for o := range uint32(x.Len()) {
		list := all[x.Code(o)]
		first, end := x.DesignationRange(o)
		if first != owner || int(end-first) != len(list) {
			t.Fatalf("designations of %s: %d to %d, want %d from %d", x.Code(o), first, end, len(list), owner)
		}
		owner = end
		for i, want := range list {
			number := first + uint32(i)
			kind := x.DesignationKindOf(number)
			got := described{x.Designation(number), DesignationDetail{
				ID: x.DesignationID(number), Inactive: kind.Inactive, Module: kind.Module, EffectiveTime: kind.EffectiveTime,
				CaseSignificance: kind.CaseSignificance, Acceptability: kind.Acceptability,
			}}
			slices.SortFunc(want.Detail.Acceptability, func(a, b Acceptability) int { return cmp.Compare(a.Refset, b.Refset) })
			if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
			if kind != &x.DesignationKinds()[x.DesignationKindNumber(number)] || x.DesignationOwner(number) != o {
				t.Fatalf("designation %d: kind %d, of %d", number, x.DesignationKindNumber(number), x.DesignationOwner(number))
			}
		}
	}
	if x.DesignationCount() != owner {
		t.Fatalf("%d designations, want %d", x.DesignationCount(), owner)
	}
}

// Kinds are few: designations that differ in nothing but text and identifier share one.
func TestKindsAreShared(t *testing.T) {
	b := NewBuilder(nil)
	for i := range 100 {
		accept := []Acceptability{{"gb", true}, {"us", i%2 == 0}}
		if i%3 == 0 {
			slices.Reverse(accept)
		}
		c := Concept{
			Code: fmt.Sprint(i), Parent: -1,
			Designations: []r4.Designation{{Language: "en", Value: fmt.Sprint("term ", i)}, {Language: "en", Value: "x"}},
			Details:      []DesignationDetail{{ID: fmt.Sprint(1000 + i), Acceptability: accept}, {}},
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	if got := len(x.DesignationKinds()); got != 3 {
		t.Errorf("%d kinds: %+v", got, x.DesignationKinds())
	}
}

func TestDetailsOfOtherDesignations(t *testing.T) {
	b := NewBuilder(nil)
	_, err := b.Add(&Concept{Code: "a", Parent: -1, Designations: []r4.Designation{{Value: "A"}}, Details: []DesignationDetail{{}, {}}, Where: "line 1"})
	if want := `line 1: details do not fit the designations: concept "a" has 1 designations, but details for 2`; !errors.Is(err, ErrBadDetails) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// detailed builds a small system that has everything that RF2 brings along.
func detailed(t testing.TB) *Index {
	b := NewBuilder(header("http://example.org/detailed"))
	if err := b.AddRefset("r1", someColumns()); err != nil {
		t.Fatal(err)
	}
	if err := b.AddRefset("r2", nil); err != nil {
		t.Fatal(err)
	}
	for i, c := range []Concept{
		{Code: "r1", Display: "Reference set"},
		{Code: "site", Display: "Site", Properties: []Property{{Code: "parent", Value: r4.Code("r1")}}},
		{Code: "heart", Display: "Heart", Properties: []Property{{Code: "parent", Value: r4.Code("r1")}}},
		{Code: "valve", Display: "Valve", Properties: []Property{{Code: "parent", Value: r4.Code("heart")}, {Code: "site", Value: r4.Code("heart")}}},
		{Code: "attack", Display: "Attack", Properties: []Property{
			{Code: "parent", Value: r4.Code("r1")},
			{Code: "parent", Value: r4.Code("site")},
			{Code: "site", Value: r4.Code("heart"), Group: 1},
			{Code: "site", Value: r4.Code("valve"), Group: 2},
			{Code: "count", Value: r4.Value{Type: "Integer", Text: "2"}, Group: 2},
		}},
		{Code: "stroke", Display: "Stroke", Properties: []Property{{Code: "parent", Value: r4.Code("attack")}, {Code: "site", Value: r4.Code("heart"), Group: 3}}},
	} {
		c.Parent = -1
		c.Designations = []r4.Designation{{Language: "en", Value: strings.ToUpper(c.Code)}, {Language: "de", Value: "alt " + c.Code}}
		c.Details = []DesignationDetail{
			{ID: fmt.Sprint(10_009_999 + i), Module: "m", EffectiveTime: "20250101", CaseSignificance: "ci", Acceptability: []Acceptability{{"us", true}, {"gb", i%2 == 0}}},
			{ID: "d-" + c.Code, Inactive: i%2 == 0},
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
		for _, m := range []RefsetMember{
			{Refset: "r1", Component: c.Code, Active: i != 2, Module: "m", EffectiveTime: "20250101", Values: []string{"heart", "7", fmt.Sprint("note ", i)}},
			{Refset: "r1", Component: "heart", Module: "m", EffectiveTime: "20240101", Values: []string{"gone", "", ""}},
			{Refset: "r2", Component: c.Code, Active: true},
		} {
			if err := b.AddMember(&m); err != nil {
				t.Fatal(err)
			}
		}
	}
	return build(t, b, nil)
}
