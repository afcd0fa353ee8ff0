package conceptmap_test

import (
	"context"
	"fmt"

	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/resources/r4"
)

func ExampleMap_Translate() {
	m, err := conceptmap.New(&r4.ConceptMap{
		Header: r4.Header{URL: "http://example.org/colours"},
		Group: []r4.ConceptMapGroup{{
			Source: "http://example.org/paint", Target: "http://example.org/light",
			Element: []r4.ConceptMapElement{
				{Code: "crimson", Target: []r4.ConceptMapTarget{{Code: "red", Equivalence: "wider"}}},
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	there, _ := m.Translate(ctx, conceptmap.Request{System: "http://example.org/paint", Code: "crimson"}, nil)
	back, _ := m.Translate(ctx, conceptmap.Request{System: "http://example.org/light", Code: "red", Reverse: true}, nil)
	fmt.Println(there[0].Concept.Code, there[0].Equivalence)
	fmt.Println(back[0].Concept.Code, back[0].Equivalence)
	// Output:
	// red wider
	// crimson narrower
}
