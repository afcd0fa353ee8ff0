// Constraints evaluates the Expression Constraint Language of SNOMED CT over a small
// hierarchy with attributes in groups. Any code system that has attributes will do.
// Over HTTP the same is $expand of URL?fhir_vs=ecl/EXPRESSION.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/ecl"
	"github.com/roget-health/roget/resources/r4"
)

// Attributes are properties whose code is a concept and whose value is another one.
const ingredient, method = "100020", "100021"

// dishes builds the index. Attributes of the same group belong together: the salmon is
// smoked and the bread is baked.
func dishes(ctx context.Context) (*codesystem.Index, error) {
	b := codesystem.NewBuilder(&r4.CodeSystem{Header: r4.Header{URL: "https://example.org/CodeSystem/dishes", Version: "1"}})
	of := func(attribute, value string, group int) codesystem.Property {
		return codesystem.Property{Code: attribute, Value: r4.Code(value), Group: group}
	}
	for _, c := range []struct {
		code, display, parent string
		attributes            []codesystem.Property
	}{
		{"100001", "Dish", "", nil},
		{"100002", "Salmon pie", "100001", []codesystem.Property{of(ingredient, "100012", 1), of(method, "100031", 1)}},
		{"100003", "Salmon toast", "100001", []codesystem.Property{of(ingredient, "100012", 1), of(method, "100032", 1), of(ingredient, "100013", 2), of(method, "100031", 2)}},
		{"100010", "Food", "", nil},
		{"100011", "Fish", "100010", nil},
		{"100012", "Salmon", "100011", nil},
		{"100013", "Bread", "100010", nil},
		{ingredient, "Ingredient", "", nil},
		{method, "Method", "", nil},
		{"100031", "Baked", "", nil},
		{"100032", "Smoked", "", nil},
	} {
		concept := codesystem.Concept{Code: c.code, Display: c.display, Properties: c.attributes, Parent: -1}
		if c.parent != "" {
			concept.Properties = append(concept.Properties, codesystem.Property{Code: "parent", Value: r4.Code(c.parent)})
		}
		if _, err := b.Add(&concept); err != nil {
			return nil, err
		}
	}
	return b.Build(ctx)
}

func main() {
	ctx := context.Background()
	index, err := dishes(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		"< 100001 |Dish| : 100020 |Ingredient| = << 100011 |Fish| , 100021 |Method| = 100031 |Baked|",
		"< 100001 : { 100020 = << 100011 , 100021 = 100031 }", // in one group: the fish is baked
		"(< 100001 : 100021 = 100032) . 100020",               // what is in dishes with something smoked
	} {
		expression, err := ecl.Parse(text)
		if err != nil {
			log.Fatal(err) // says where the text is wrong
		}
		set, err := ecl.Evaluate(ctx, index, expression)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(expression)
		for _, o := range set.ToArray() {
			fmt.Println(" ", index.Code(o), index.Display(o))
		}
	}
}
