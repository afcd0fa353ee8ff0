package codesystem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/codesystem/contexttest"
	"github.com/roget-health/roget/resources/r4"
)

func TestAddRefuses(t *testing.T) {
	insensitive := header("http://example.org/s")
	insensitive.CaseSensitive = new(false)
	for _, test := range []struct {
		name   string
		header *r4.CodeSystem
		add    []Concept
		want   error
		text   string
	}{
		{"empty code", nil, []Concept{{Where: "x.json: line 3", Parent: -1}}, ErrEmptyCode, "x.json: line 3: concept without a code"},
		{"duplicate", nil, []Concept{{Code: "a", Where: "line 1", Parent: -1}, {Code: "a", Where: "line 2", Parent: -1}}, ErrDuplicateCode, `line 2: duplicate code: "a", first at line 1`},
		{"case", insensitive, []Concept{{Code: "ab", Parent: -1}, {Code: "AB", Parent: -1}}, ErrDuplicateCode, `duplicate code: "AB" is "ab" without regard to case`},
		{"nested in what is not there", nil, []Concept{{Code: "a", Parent: 0}}, ErrUnknownParent, `unknown parent: concept "a" is nested in concept 0 of 0`},
		{"parent without a code", nil, []Concept{{Code: "a", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("")}}}}, ErrBadProperty, `concept "a": property "parent": property value does not fit its declared type: no code`},
	} {
		b := NewBuilder(test.header)
		var err error
		for i := range test.add {
			if _, err = b.Add(&test.add[i]); err != nil {
				break
			}
		}
		if !errors.Is(err, test.want) || err.Error() != test.text {
			t.Errorf("%s: %v, want %s", test.name, err, test.text)
		}
	}
}

func TestBuilderIsSpent(t *testing.T) {
	b := NewBuilder(nil)
	if _, err := b.Build(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(context.Background()); err == nil {
		t.Error("built twice")
	}
	if _, err := b.Add(&Concept{Code: "a", Parent: -1}); err == nil {
		t.Error("added after Build")
	}
}

func TestBuildHearsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := syntheticBuilder(t, 20_000)
	if _, err := b.Build(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, budget := range []int{closurePerConcept, -1} {
		for looks := 1; ; looks++ {
			b := syntheticBuilder(t, 60)
			b.closureBudget = budget
			if err := b.AddRefset("set", nil); err != nil {
				t.Fatal(err)
			}
			ctx := contexttest.After(t.Context(), looks)
			if _, err := b.Build(ctx); ctx.Seen() != errors.Is(err, context.Canceled) {
				t.Fatalf("the context ends at look %d: %v", looks+1, err)
			}
			if !ctx.Seen() {
				break
			}
		}
	}
}

// Codes that differ only in case are different or the same by the rule of the system.
func TestCaseRule(t *testing.T) {
	codes := []string{"Straße", "ΜΆΪΟΣ", "kilo", "42", "Very-Long-Code-Of-Letters-É", "I"}
	for _, sensitive := range []bool{true, false} {
		h := header("http://example.org/s")
		h.CaseSensitive = new(sensitive)
		b := NewBuilder(h)
		for _, code := range codes {
			if _, err := b.Add(&Concept{Code: code, Parent: -1}); err != nil {
				t.Fatal(err)
			}
		}
		x := build(t, b, nil)
		for i, code := range codes {
			for _, other := range []string{strings.ToUpper(code), strings.ToLower(code), code} {
				o, ok := x.Find(other)
				want := other == code || !sensitive && strings.EqualFold(other, code)
				if ok != want || ok && o != uint32(i) {
					t.Errorf("sensitive %v: Find(%q) = %d, %v", sensitive, other, o, ok)
				}
				if ok && x.Code(o) != code {
					t.Errorf("Code(%d) = %q", o, x.Code(o))
				}
			}
		}
		// KELVIN SIGN folds to k.
		if _, ok := x.Find("\u212Ailo"); ok == sensitive {
			t.Errorf("sensitive %v: kelvin sign", sensitive)
		}
	}
}

// A header that comes after the concepts counts as one that came before.
func TestLateHeader(t *testing.T) {
	h := header("http://example.org/s")
	h.CaseSensitive = new(false)
	h.Property = []r4.CodeSystemProperty{
		{Code: "up", URI: conceptProperties + "parent", Type: "code"},
		{Code: "parent", Type: "string"},
		{Code: "gone", URI: conceptProperties + "inactive", Type: "boolean"},
	}
	concepts := []Concept{
		{Code: "a", Display: "A", Parent: -1},
		{Code: "b", Display: "B", Parent: -1, Properties: []Property{{Code: "up", Value: r4.Code("a")}, {Code: "gone", Value: r4.Boolean(true)}}},
		{Code: "c", Display: "C", Parent: -1, Properties: []Property{{Code: "up", Value: r4.Code("B")}, {Code: "colour", Value: r4.String("red")}}},
		{Code: "d", Display: "D", Parent: -1, Properties: []Property{{Code: "colour", Value: r4.String("blue")}, {Code: "child", Value: r4.Code("c")}}},
	}
	var built []contents
	for _, late := range []bool{false, true} {
		b := NewBuilder(h)
		if late {
			b = NewBuilder(nil)
		}
		for i := range concepts {
			if _, err := b.Add(&concepts[i]); err != nil {
				t.Fatal(err)
			}
		}
		b.SetHeader(h)
		built = append(built, contentsOf(build(t, b, nil)))
	}
	if diff := cmp.Diff(built[0], built[1]); diff != "" {
		t.Error(diff)
	}
	if c := built[1].Concepts[1]; len(c.Parents) != 1 || !c.Inactive {
		t.Errorf("%+v", c)
	}
}

func TestLateHeaderTurnsParentsIntoProperties(t *testing.T) {
	h := header("http://example.org/s")
	h.Property = []r4.CodeSystemProperty{{Code: "parent", URI: "http://example.org/x", Type: "string"}}
	b := NewBuilder(nil)
	if _, err := b.Add(&Concept{Code: "a", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("Mary")}}}); err != nil {
		t.Fatal(err)
	}
	b.SetHeader(h)
	if _, err := b.Build(context.Background()); !errors.Is(err, ErrBadProperty) {
		t.Errorf("a code where a string is declared: %v", err)
	}
}

func TestLateCaseRuleFindsDuplicates(t *testing.T) {
	b := NewBuilder(nil)
	for _, code := range []string{"a", "A"} {
		if _, err := b.Add(&Concept{Code: code, Where: "at " + code, Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	h := header("http://example.org/s")
	h.CaseSensitive = new(false)
	b.SetHeader(h)
	_, err := b.Build(context.Background())
	if !errors.Is(err, ErrDuplicateCode) || err.Error() != `at A: duplicate code: "A" is "a" without regard to case, first at at a` {
		t.Errorf("%v", err)
	}
}

// Flags follow the properties HL7 defines, by name or by declared uri.
func TestFlags(t *testing.T) {
	h := header("http://example.org/s")
	h.Property = []r4.CodeSystemProperty{{Code: "closed", URI: conceptProperties + "notSelectable", Type: "boolean"}}
	coding := func(code string) r4.Value { return r4.Value{Type: "Coding", Coding: &r4.Coding{Code: code}} }
	for _, test := range []struct {
		property                       Property
		inactive, abstract, deprecated bool
	}{
		{Property{Code: "inactive", Value: r4.Boolean(true)}, true, false, false},
		{Property{Code: "inactive", Value: r4.Boolean(false)}, false, false, false},
		{Property{Code: "status", Value: r4.Code("retired")}, true, false, false},
		{Property{Code: "status", Value: r4.Code("inactive")}, true, false, false},
		{Property{Code: "status", Value: r4.Code("active")}, false, false, false},
		{Property{Code: "status", Value: r4.Code("deprecated")}, false, false, true},
		{Property{Code: "status", Value: coding("deprecated")}, false, false, true},
		{Property{Code: "deprecated", Value: r4.Boolean(true)}, false, false, true},
		{Property{Code: "deprecated", Value: r4.Boolean(false)}, false, false, false},
		{Property{Code: "deprecated", Value: r4.Value{Type: "DateTime", Text: "2020"}}, false, false, true},
		{Property{Code: "deprecationDate", Value: r4.Value{Type: "DateTime", Text: "2020-01-01"}}, false, false, true},
		{Property{Code: "notSelectable", Value: r4.Boolean(true)}, false, true, false},
		{Property{Code: "abstract", Value: r4.Boolean(true)}, false, true, false},
		{Property{Code: "closed", Value: r4.Boolean(true)}, false, true, false},
	} {
		b := NewBuilder(h)
		_, err := b.Add(&Concept{Code: "a", Parent: -1, Properties: []Property{test.property}})
		x := build(t, b, err)
		if x.Inactive(0) != test.inactive || x.Abstract(0) != test.abstract || x.Deprecated(0) != test.deprecated {
			t.Errorf("%+v: inactive %v, abstract %v, deprecated %v", test.property, x.Inactive(0), x.Abstract(0), x.Deprecated(0))
		}
		if x.InactiveSet().Contains(0) != test.inactive || x.AbstractSet().Contains(0) != test.abstract || x.DeprecatedSet().Contains(0) != test.deprecated {
			t.Errorf("%+v: sets", test.property)
		}
		value := test.property.Value.Text
		if test.property.Value.Coding != nil {
			value = test.property.Value.Coding.Code
		}
		if set, err := x.Filter(t.Context(), r4.Filter{Property: test.property.Code, Op: "=", Value: value}); err != nil || !set.Contains(0) {
			t.Errorf("%+v: a filter finds %v, %v", test.property, set, err)
		}
		if got := slices.Collect(x.Properties(0)); len(got) != 1 || got[0].Code != test.property.Code {
			t.Errorf("%+v: properties %v", test.property, got)
		}
	}
}

// What is above an inactive concept does not count for those below it.
func TestStatsOfInactive(t *testing.T) {
	b := NewBuilder(header("http://example.org/s"))
	dead := Property{Code: "inactive", Value: r4.Boolean(true)}
	for _, c := range []Concept{
		{Code: "top", Parent: -1},
		{Code: "dead", Parent: 0, Properties: []Property{dead}},
		{Code: "below", Parent: 1},
		{Code: "leaf", Parent: 2, Properties: []Property{{Code: "parent", Value: r4.Code("top")}}},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	want := Stats{
		URL: "http://example.org/s", Version: "1.0", Concepts: 4, Active: 3,
		// below under dead; leaf under below, dead and top.
		Edges: 3, Roots: 1, MaxDepth: 2, MeanAncestors: 1.33, MaxAncestors: 3, ClosurePairs: 4,
	}
	if got := build(t, b, nil).Stats(); got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

// A system written out and read again has the same contents.
func TestWriteJSON(t *testing.T) {
	nested := NewBuilder(header("http://example.org/nested"))
	for _, c := range []Concept{
		{Code: "a", Display: `A "quoted"`, Parent: -1},
		{Code: "b", Parent: 0, Definition: "line\nbreak"},
		{Code: "c", Parent: 1},
		{Code: "d", Parent: 0, Properties: []Property{{Code: "parent", Value: r4.Code("e")}}},
		{Code: "e", Parent: -1},
	} {
		if _, err := nested.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	for name, x := range map[string]*Index{
		"flat": sample(t, nil), "large": build(t, syntheticBuilder(t, 1000), nil), "nested": build(t, nested, nil), "empty": build(t, NewBuilder(header("http://example.org/e")), nil),
	} {
		var out bytes.Buffer
		if err := x.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(out.Bytes()) {
			t.Fatalf("%s: not JSON: %s", name, out.Bytes())
		}
		again, err := readSource(json.NewDecoder(&out))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for o, code := range x.Codes() {
			if p, ok := again.Find(code); !ok || x.Display(o) != again.Display(p) {
				t.Errorf("%s: %s differs", name, code)
			}
		}
		if x.Len() == 1000 {
			continue
		}
		if diff := cmp.Diff(contentsOf(x), contentsOf(again)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	want := `{"code":"d","property":[{"code":"parent","valueCode":"a"},{"code":"parent","valueCode":"e"}]}`
	x := build(t, func() *Builder {
		b := NewBuilder(nil)
		for _, c := range []Concept{{Code: "a", Parent: -1}, {Code: "d", Parent: 0, Properties: []Property{{Code: "parent", Value: r4.Code("e")}}}, {Code: "e", Parent: -1}} {
			if _, err := b.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}(), nil)
	if got := string(x.AppendConceptJSON(nil, 1)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Deep nesting is written without recursion.
func TestWriteDeepJSON(t *testing.T) {
	b := NewBuilder(header("http://example.org/deep"))
	for i := range 100_000 {
		if _, err := b.Add(&Concept{Code: shape{}.code(i), Parent: i - 1}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := build(t, b, nil).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(out.Bytes(), []byte(`"concept":[`)); got != 100_000 {
		t.Errorf("%d levels", got)
	}
}

// TestNest nests concepts in ones that were added after them.
func TestNest(t *testing.T) {
	b := NewBuilder(header("http://example.org/s"))
	for _, code := range []string{"leaf", "other", "middle", "top"} {
		if _, err := b.Add(&Concept{Code: code, Parent: -1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]int{{0, 2}, {1, 2}, {2, 3}} {
		if err := b.Nest(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range [][2]int{{0, 0}, {-1, 0}, {0, 4}} {
		if err := b.Nest(pair[0], pair[1]); !errors.Is(err, ErrUnknownParent) {
			t.Errorf("Nest(%v): %v", pair, err)
		}
	}
	var got []string
	x := build(t, b, nil)
	for o, code := range x.Codes() {
		got = append(got, strings.Repeat(" ", x.Depth(o))+code)
	}
	if want := []string{"top", " middle", "  leaf", "  other"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
