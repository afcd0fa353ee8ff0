package fhir

import (
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

func ExampleRead() {
	resource := `{"resourceType":"CodeSystem","url":"http://example.org/animals","content":"complete",
	  "concept":[{"code":"animal","concept":[{"code":"cat"},{"code":"dog"}]}]}`
	err := Read(context.Background(), strings.NewReader(resource), "animals.json", Options{}, printer{})
	if err != nil {
		fmt.Println(err)
	}
	// Output: http://example.org/animals has 3 concepts
}

type printer struct{}

func (printer) CodeSystem(x *codesystem.Index, _ Origin) error {
	fmt.Println(x.URL(), "has", x.Len(), "concepts")
	return nil
}

func (printer) Document(kind string, h *r4.Header, _ []byte, _ Origin) error {
	fmt.Println(kind, h.URL)
	return nil
}
