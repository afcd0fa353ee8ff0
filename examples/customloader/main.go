// Customloader reads a code system from a format of its own, here CSV, into the
// engine: all a loader does is to call Builder.Add for each concept.
package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

//go:embed tools.csv
var tools string

const url = "https://example.org/CodeSystem/tools"

// load reads rows of code, display and parent codes with blanks between.
func load(ctx context.Context, rows io.Reader) (*codesystem.Index, error) {
	header := &r4.CodeSystem{Content: "complete", Property: []r4.CodeSystemProperty{{Code: "parent", Type: "code"}}}
	header.ResourceType, header.ID, header.URL, header.Version = "CodeSystem", "tools", url, "1"
	b := codesystem.NewBuilder(header)
	r := csv.NewReader(rows)
	r.FieldsPerRecord = 3
	for {
		row, err := r.Read()
		if err == io.EOF {
			return b.Build(ctx)
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		c := codesystem.Concept{Code: row[0], Display: row[1], Parent: -1, Where: fmt.Sprintf("tools.csv:%d", line)}
		for _, parent := range strings.Fields(row[2]) {
			c.Properties = append(c.Properties, codesystem.Property{Code: "parent", Value: r4.Code(parent)})
		}
		if _, err := b.Add(&c); err != nil {
			return nil, err
		}
	}
}

func main() {
	ctx := context.Background()
	index, err := load(ctx, strings.NewReader(tools))
	if err != nil {
		log.Fatal(err)
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(index, "tools.csv")); err != nil {
		log.Fatal(err)
	}
	answer, err := eng.Subsumes(ctx, &engine.SubsumesRequest{System: url, CodeA: "cutter", CodeB: "bread-knife"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cutter, bread-knife:", answer.Outcome)
	page, err := eng.Expand(ctx, &engine.ExpandRequest{URL: url + "?fhir_vs=isa/kitchen-tool"})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range page.Table().Rows {
		fmt.Println(strings.Join(row, " "))
	}
}
