package codesystem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/roget-health/roget/resources/r4"
)

// allValues has a value of every type a property of R4 can have, and of others.
func allValues() []r4.Value {
	return []r4.Value{
		r4.Code("a"), r4.Code(""), r4.String("fish and chips"), r4.String("a"),
		{Type: "Integer", Text: "-7"},
		r4.Boolean(true), r4.Boolean(false),
		{Type: "DateTime", Text: "2024-01-31"},
		{Type: "Decimal", Text: "1.500"},
		{Type: "Decimal", Text: "1e-400"},
		{Type: "Coding", Coding: &r4.Coding{Code: "c"}},
		{Type: "Coding", Coding: &r4.Coding{System: "http://example.org/s", Version: "1", Code: "c", Display: "C", UserSelected: new(false)}},
		{Type: "Uri", Text: "urn:x"},
		{Type: "Markdown", Text: "**a**"},
	}
}

func TestValuesComeBack(t *testing.T) {
	var props []Property
	for i, v := range allValues() {
		props = append(props, Property{Code: fmt.Sprint("p", i%5), Value: v})
	}
	again := flat(t, []Concept{{Code: "x", Parent: -1}, {Code: "y", Parent: -1, Properties: props}, {Code: "z", Parent: -1, Properties: props[3:7]}})
	x, err := FromBytes(bytes.Clone(again.Bytes()), true)
	if err != nil {
		t.Fatal(err)
	}
	o, _ := x.Find("y")
	if diff := cmp.Diff(props, slices.Collect(x.Properties(o))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(props, x.AppendProperties(o, nil)); diff != "" {
		t.Error(diff)
	}
	if got := x.AppendProperties(0, nil); got != nil {
		t.Errorf("concept without properties: %v", got)
	}
	for i := range 5 {
		var want []r4.Value
		for _, p := range props {
			if p.Code == fmt.Sprint("p", i) {
				want = append(want, p.Value)
			}
		}
		if diff := cmp.Diff(want, x.PropertyValues(o, fmt.Sprint("p", i), nil)); diff != "" {
			t.Error(diff)
		}
	}
	if got := x.PropertyNames(); !slices.Equal(got, []string{"p0", "p1", "p2", "p3", "p4"}) {
		t.Error(got)
	}
}

func TestBadValues(t *testing.T) {
	declared := &r4.CodeSystem{Property: []r4.CodeSystemProperty{{Code: "n", Type: "integer"}, {Code: "c", Type: "Coding"}, {Code: "odd", Type: "unheard"}}}
	for _, test := range []struct {
		prop Property
		want string // "" for good
	}{
		{Property{Code: "n", Value: r4.Value{Type: "Integer", Text: "12"}}, ""},
		{Property{Code: "n", Value: r4.String("12")}, `concept "x": property "n": property value does not fit its declared type: valueString, declared as integer`},
		{Property{Code: "c", Value: r4.Code("a")}, `concept "x": property "c": property value does not fit its declared type: valueCode, declared as Coding`},
		{Property{Code: "odd", Value: r4.Code("a")}, ""},
		{Property{Code: "", Value: r4.Code("a")}, `concept "x": property value does not fit its declared type: property without a code`},
		{Property{Code: "p", Value: r4.Value{}}, `concept "x": property "p": property value does not fit its declared type: value[x] of type ""`},
		{Property{Code: "p", Value: r4.Value{Type: "Coding"}}, `concept "x": property "p": property value does not fit its declared type: valueCoding without a Coding`},
		{Property{Code: "p", Value: r4.Value{Type: "Quantity", Raw: []byte("{}")}}, `concept "x": property "p": property value does not fit its declared type: value[x] of type "Quantity"`},
		{Property{Code: "p", Value: r4.Value{Type: "Boolean", Text: "yes"}}, `concept "x": property "p": property value does not fit its declared type: "yes" is not a valid boolean`},
		{Property{Code: "p", Value: r4.Value{Type: "Integer", Text: "1.0"}}, `concept "x": property "p": property value does not fit its declared type: "1.0" is not a valid integer`},
		{Property{Code: "p", Value: r4.Value{Type: "Decimal", Text: "1."}}, `concept "x": property "p": property value does not fit its declared type: "1." is not a valid decimal`},
	} {
		for _, late := range []bool{false, true} {
			first, last := declared, declared
			if late {
				first = nil
			}
			b := NewBuilder(first)
			_, err := b.Add(&Concept{Code: "x", Parent: -1, Properties: []Property{test.prop}})
			if err == nil {
				b.SetHeader(last)
				_, err = b.Build(context.Background())
			}
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, ErrBadProperty) || err.Error() != test.want) {
				t.Errorf("%v: %v\nwant %s", test.prop, err, test.want)
			}
		}
	}
}

func TestPropertyValuesByRole(t *testing.T) {
	h := header("http://example.org/s")
	h.Property = []r4.CodeSystemProperty{{Code: "broader", URI: conceptProperties + "parent", Type: "code"}}
	b := NewBuilder(h)
	for _, c := range []Concept{
		{Code: "a", Parent: -1, Properties: []Property{{Code: "notSelectable", Value: r4.Boolean(true)}}},
		{Code: "b", Parent: -1, Properties: []Property{{Code: "broader", Value: r4.Code("a")}, {Code: "status", Value: r4.Code("retired")}}},
		{Code: "c", Parent: -1, Properties: []Property{{Code: "parent", Value: r4.Code("a")}, {Code: "inactive", Value: r4.Boolean(false)}}},
	} {
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	for _, test := range []struct{ concept, property, want string }{
		{"a", "parent", ""},
		{"b", "parent", "Code a"},
		{"b", "broader", "Code a"},
		{"c", "broader", "Code a"},
		{"a", "child", "Code b, Code c"},
		{"b", "inactive", "Boolean true"},
		{"c", "inactive", "Boolean false"},
		{"a", "inactive", "Boolean false"},
		{"a", "notSelectable", "Boolean true"},
		{"a", "abstract", "Boolean true"},
		{"b", "notSelectable", ""},
		{"b", "status", "Code retired"},
		{"b", "deprecated", "Boolean false"},
		{"b", "nonsense", ""},
	} {
		o, _ := x.Find(test.concept)
		var got []string
		for _, v := range x.PropertyValues(o, test.property, nil) {
			got = append(got, v.Type+" "+v.Text)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s %s: %v, want %s", test.concept, test.property, got, test.want)
		}
	}
}

func TestHasProperty(t *testing.T) {
	x := sample(t, nil)
	o, _ := x.Find("penguin")
	for _, test := range []struct {
		code, value string
		want        bool
	}{
		{"food", "krill", true},
		{"food", "Krill", false},
		{"weight", "12.5", true},
		{"weight", "12.51", false},
		{"parent", "bird", true},
		{"child", "bird", false},
		{"inactive", "false", true},
		{"code", "penguin", true},
		{"none", "x", false},
	} {
		if got := x.HasProperty(o, test.code, test.value); got != test.want {
			t.Errorf("%s = %s: %v", test.code, test.value, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { x.HasProperty(o, "food", "krill") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestNumberEquals(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"1.50", "1.5", true},
		{"15e-1", "1.5", true},
		{"1.5", "15", false},
		{"0", "-0.000e9", true},
		{"100", "1E2", true},
		{"100", "10", false},
		{"0.001", "1e-3", true},
		{"007", "7", true},
		{"-1", "1", false},
		{"1", "x", false},
		{"1", "", false},
		{"1.", "1", false},
		{"1e", "1", false},
		{"1e9999999999", "1", false},
		{"10.01", "1001e-2", true},
		{"0.10", ".1", false},
	} {
		if got := numberEquals(test.a, test.b); got != test.want {
			t.Errorf("%s = %s: %v", test.a, test.b, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3}|0?0)(\.[0-9]{1,4})?([eE][-+]?[0-3])?`)
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got := numberEquals(a, b); got != (x.Cmp(y) == 0) {
			t.Fatalf("%s = %s: %v", a, b, got)
		}
	})
}

// Values sort so that every value is found in the range of its letter.
func TestAfterLetter(t *testing.T) {
	for _, letter := range []byte{letterBoolean, letterCode, letterCoding, letterDateTime, letterDecimal, letterInteger, letterString, letterOther} {
		if got := afterLetter(letter); got != string([]byte{letter + 1}) {
			t.Errorf("%c: %q", letter, got)
		}
	}
	for letter := range math.MaxUint8 {
		afterLetter(byte(letter))
	}
}
