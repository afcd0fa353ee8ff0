package fhirpath_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirpath"
	"github.com/roget-health/roget/resources/r4"
)

func TestCompileErrors(t *testing.T) {
	for _, test := range []struct {
		expression string
		offset     int
		msg        string
	}{
		{"", 0, "expression"},
		{"a.", 2, "name"},
		{"a b", 2, "operator"},
		{"a[", 2, "number"},
		{"a[x]", 2, "number"},
		{"a[1.5]", 2, "whole number"},
		{"a[99999999999]", 2, "whole number"},
		{"a[1", 3, `"]"`},
		{"a.where()", 8, "expression"},
		{"a.where(b", 9, `")"`},
		{"a.first(b)", 8, `")"`},
		{"a.replace('x')", 13, `","`},
		{"a.slice('x')", 2, "not supported"},
		{"a.matches('(')", 2, "regular expression"},
		{"a as", 4, "name"},
		{"a is 1", 5, "name"},
		{"(a", 2, `")"`},
		{"a)", 1, "operator"},
		{"'a", 0, "no closing quote"},
		{`'\x'`, 2, "escape"},
		{`'\u12'`, 3, "hexadecimal"},
		{`'\u12xx'`, 3, "hexadecimal"},
		{"a ? b", 2, "not supported"},
		{"é", 0, "not supported"},
		{"$all", 0, "expression"},
		{"%loin", 0, "expression"},
		{"a < ", 4, "expression"},
		{"- - +", 5, "expression"},
		{"a |", 3, "expression"},
		{strings.Repeat("(", 100), 64, "deeper"},
		{strings.Repeat("a.", 2000) + "a", 2049, "too many operations"},
		{strings.Repeat("a", 10000), 8192, "longer"},
	} {
		_, err := fhirpath.Compile(test.expression)
		var syntax *fhirpath.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != test.offset || !strings.Contains(syntax.Error(), test.msg) {
			t.Errorf("%.40s: %v (want %d, %s)", test.expression, err, test.offset, test.msg)
		}
	}
}

// TestSearchExpressions compiles the expressions of all search parameters.
func TestSearchExpressions(t *testing.T) {
	tables, seen := definitions.R4(), 0
	compile := func(p *definitions.SearchParam, expression string) {
		seen++
		if _, err := fhirpath.Compile(expression); err != nil {
			t.Errorf("%s.%s: %v", p.Type, p.Code, err)
		}
	}
	for _, typ := range append(tables.Resources(), "Resource") {
		for _, p := range tables.SearchParams(typ) {
			if p.Expression != "" {
				compile(p, p.Expression)
			}
			for _, c := range p.Components {
				compile(p, c.Expression)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d expressions", seen)
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"Patient.name[0].given", "a.where(b='c').first() | d as E", "x.exists() and y != false", "'\\u0041'", "{} implies %resource.a is B", "$this.resolve()", "1 + 2 * 3 ~ 7", "name.select(given & ' ' & family).distinct() contains 'a'", "@2020-01-01T10:00Z + 3 months < now()", "descendants().where(hasValue()).repeat($this)", "iif(a, 1, 'b'.matches('[a-z]'))", "aggregate($total + $this, 0)"} {
		f.Add(seed)
	}
	d, err := document.Parse([]byte(patient), r4.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := fhirpath.Compile(text)
		if err != nil {
			var syntax *fhirpath.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := e.Evaluate(definitions.R4(), d.Root()); err != nil && !errors.Is(err, fhirpath.ErrEvaluate) {
			t.Fatal(err)
		}
	})
}

func ExampleExpression_Evaluate() {
	d, err := document.Parse([]byte(`{"resourceType":"Patient","telecom":[{"system":"phone","value":"1"},{"system":"email","value":"a@example.org"}]}`), r4.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := fhirpath.Compile("Patient.telecom.where(system = 'email').value")
	if err != nil {
		fmt.Println(err)
		return
	}
	items, err := e.Evaluate(definitions.R4(), d.Root())
	for _, i := range items {
		fmt.Println(i.Path(), i.TypeName(), i.Text())
	}
	fmt.Println(err)
	// Output:
	// Patient.telecom[1].value string a@example.org
	// <nil>
}
