package ecl_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/resources/r4"
)

// animals returns a small code system with an attribute, 100020.
func animals() *codesystem.Index {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "http://example.org/animals", Name: "Animals"}})
	for _, c := range []struct{ code, display, parent, eats string }{
		{"100001", "animal", "", ""},
		{"100002", "bird", "100001", ""},
		{"100003", "heron", "100002", "100005"},
		{"100004", "finch", "100002", "100006"},
		{"100005", "fish", "100001", ""},
		{"100006", "seed", "", ""},
		{"100020", "eats", "", ""},
	} {
		concept := codesystem.Concept{Code: c.code, Display: c.display, Parent: -1}
		if c.parent != "" {
			concept.Properties = append(concept.Properties, codesystem.Property{Code: "parent", Value: r4.Code(c.parent)})
		}
		if c.eats != "" {
			concept.Properties = append(concept.Properties, codesystem.Property{Code: "100020", Value: r4.Code(c.eats)})
		}
		if _, err := b.Add(&concept); err != nil {
			panic(err)
		}
	}
	x, err := b.Build(context.Background())
	if err != nil {
		panic(err)
	}
	return x
}

// Evaluate returns the concepts of an expression.
func ExampleEvaluate() {
	x := animals()
	e, err := ecl.Parse("descendantOf 100002 |bird| : 100020 |eats| = << 100001 |animal|")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := ecl.Evaluate(context.Background(), x, e)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e)
	for _, o := range set.ToArray() {
		fmt.Println(x.Code(o), x.Display(o))
	}
	// Output:
	// < 100002 : 100020 = << 100001
	// 100003 heron
}

// A plan is made once and asked for one concept at a time.
func ExamplePlan_Contains() {
	x := animals()
	e, _ := ecl.Parse("<< code#100002 MINUS 100004")
	plan, err := ecl.Compile(x, e)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, code := range []string{"100003", "100004"} {
		o, _ := x.Find(code)
		in, err := plan.Contains(context.Background(), o)
		fmt.Println(x.Display(o), in, err)
	}
	// Output:
	// heron true <nil>
	// finch false <nil>
}

// Errors have a position.
func ExampleParse() {
	_, err := ecl.Parse("< 100001 AND 100002 OR 100003")
	fmt.Println(err)
	var syntax *ecl.SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax.Offset)
	}
	// Output:
	// expression constraint, at position 20, before "OR 100003": expected brackets around the parts: AND beside OR does not say which operator comes first
	// 20
}
