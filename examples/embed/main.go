// Embed answers terminology questions inside a Go program, without a server.
// Run it in its own folder: cd examples/embed && go run .
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/roget-health/roget/engine"
)

func main() {
	ctx := context.Background()
	eng := engine.New()
	if err := eng.Load(ctx, "../samples"); err != nil { // a file, a folder or a FHIR package
		log.Fatal(err)
	}
	const animals = "https://roget.health/fhir/CodeSystem/animals"
	answer, err := eng.Subsumes(ctx, &engine.SubsumesRequest{System: animals, CodeA: "pet", CodeB: "sheepdog"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("pet, sheepdog:", answer.Outcome)
	page, err := eng.Expand(ctx, &engine.ExpandRequest{URL: "https://roget.health/fhir/ValueSet/wild-four-legged", Filter: "b"})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range page.Table().Rows {
		fmt.Println(row)
	}
}
