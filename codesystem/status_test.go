package codesystem

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/resources/r4"
)

func TestStatus(t *testing.T) {
	standing := func(code string) r4.Extensions {
		return r4.Extensions{{URL: "http://example.org/other", Value: r4.Boolean(true)}, {URL: standardsStatus, Value: r4.Code(code)}}
	}
	past, future := r4.Value{Type: "DateTime", Text: "1999-12"}, r4.Value{Type: "DateTime", Text: "2999-01-01"}
	h := header("http://example.org/standing")
	h.Property = []r4.CodeSystemProperty{{Code: "phase", URI: conceptProperties + "status", Type: "code"}}
	for i, test := range []struct {
		properties []Property
		extensions r4.Extensions
		status     string
		inactive   bool
	}{
		{nil, nil, "", false},
		{[]Property{{Code: "colour", Value: r4.Code("retired")}}, nil, "", false},
		{[]Property{{Code: "status", Value: r4.Code("active")}}, nil, "active", false},
		{[]Property{{Code: "deprecated", Value: r4.Boolean(true)}, {Code: "status", Value: r4.Code("retired")}}, nil, "retired", true},
		{[]Property{{Code: "phase", Value: r4.Code("trial")}}, nil, "trial", false},
		{[]Property{{Code: "deprecated", Value: r4.Boolean(true)}}, nil, "deprecated", false},
		{[]Property{{Code: "deprecated", Value: r4.Boolean(false)}, {Code: "inactive", Value: r4.Boolean(true)}}, nil, "inactive", true},
		{[]Property{{Code: "deprecationDate", Value: past}}, nil, "deprecated", false},
		{[]Property{{Code: "deprecationDate", Value: future}}, nil, "", false},
		{[]Property{{Code: "deprecationDate", Value: future}, {Code: "retired", Value: r4.Boolean(true)}}, nil, "retired", false},
		{nil, standing("deprecated"), "deprecated", false},
		{nil, standing("Withdrawn"), "Withdrawn", true},
		{[]Property{{Code: "inactive", Value: r4.Code("true")}}, standing("normative"), "inactive", true},
	} {
		b := NewBuilder(h)
		for n, c := range []Concept{{Code: "before"}, {Code: "it", Properties: test.properties, Extensions: test.extensions}, {Code: "after"}} {
			c.Parent = n - 1
			if _, err := b.Add(&c); err != nil {
				t.Fatal(err)
			}
		}
		x := build(t, b, nil)
		o, _ := x.Find("it")
		if x.Status(o) != test.status || x.Inactive(o) != test.inactive {
			t.Errorf("%d: status %q, inactive %v, want %q, %v", i, x.Status(o), x.Inactive(o), test.status, test.inactive)
		}
		if test.status != "" {
			if set, err := x.Filter(t.Context(), r4.Filter{Property: "status", Op: "=", Value: test.status}); err != nil || set.GetCardinality() != 1 || !set.Contains(o) {
				t.Errorf("%d: status %s of %v, %v", i, test.status, set, err)
			}
			for at := range uint32(x.Len()) {
				if is, err := x.MatchFilter(t.Context(), r4.Filter{Property: "status", Op: "=", Value: test.status}, at); err != nil || is != (at == o) {
					t.Errorf("%d: status %s of concept %d: %v, %v", i, test.status, at, is, err)
				}
			}
		}
		if diff := cmp.Diff(test.extensions, x.Extensions(o)); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
		if x.Status(0) != "" || x.Extensions(0) != nil {
			t.Errorf("%d: the concept before it has a status", i)
		}
	}
	x := flat(t, []Concept{{Code: "it", Parent: -1, Properties: []Property{{Code: "inactive", Value: r4.Boolean(true)}}}})
	if set, err := x.Filter(t.Context(), r4.Filter{Property: "status", Op: "=", Value: "inactive"}); err != nil || set.GetCardinality() != 1 {
		t.Errorf("inactive are %v, %v", set, err)
	}
}

// Extensions stay with their owner however the concepts are numbered.
func TestExtensions(t *testing.T) {
	b := NewBuilder(header("http://example.org/extended"))
	of := func(s string) r4.Extensions {
		return r4.Extensions{{URL: "http://example.org/of", Value: r4.String(s)}}
	}
	const n = 20
	for i := range n {
		code := fmt.Sprint("c", i)
		c := Concept{Code: code, Parent: -1}
		if i > 0 { // later concepts are above earlier ones: the order is turned round
			c.Properties = []Property{{Code: "child", Value: r4.Code(fmt.Sprint("c", i-1))}}
		}
		if i%3 == 0 {
			c.Extensions = of(code)
		}
		for d := range i % 4 {
			value := fmt.Sprint(code, " d", d)
			c.Designations = append(c.Designations, r4.Designation{Language: "de", Value: value})
			if d != 1 {
				c.Designations[d].Extension = of(value)
			}
		}
		if _, err := b.Add(&c); err != nil {
			t.Fatal(err)
		}
	}
	x := build(t, b, nil)
	for i := range n {
		code := fmt.Sprint("c", i)
		o, _ := x.Find(code)
		var want r4.Extensions
		if i%3 == 0 {
			want = of(code)
		}
		if diff := cmp.Diff(want, x.Extensions(o)); diff != "" {
			t.Errorf("%s: %s", code, diff)
		}
		d := 0
		for got := range x.Designations(o) {
			var want r4.Extensions
			if d != 1 {
				want = of(got.Value)
			}
			if diff := cmp.Diff(want, got.Extension); diff != "" {
				t.Errorf("%s, designation %d: %s", code, d, diff)
			}
			d++
		}
		if d != i%4 {
			t.Errorf("%s has %d designations", code, d)
		}
	}
}
