package httpadapter_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/resources/r4"
)

// ExampleNew serves one code system and sends it a request.
func ExampleNew() {
	b := codesystem.NewBuilder(&r4.CodeSystem{
		Header:  r4.Header{ResourceType: "CodeSystem", ID: "sizes", URL: "http://example.org/sizes", Name: "Sizes", Status: "active"},
		Content: "complete",
	})
	for _, c := range []codesystem.Concept{{Code: "s", Display: "Small", Parent: -1}, {Code: "xs", Display: "Extra small", Parent: 0}} {
		if _, err := b.Add(&c); err != nil {
			fmt.Println(err)
			return
		}
	}
	index, err := b.Build(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	eng := engine.New()
	if err := eng.Publish(engine.CodeSystemEntry(index, "example")); err != nil {
		fmt.Println(err)
		return
	}
	handler, err := httpadapter.New(httpadapter.Config{Engine: eng})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/CodeSystem/$subsumes?system=http://example.org/sizes&codeA=s&codeB=xs", nil))
	body, _ := io.ReadAll(w.Body)
	fmt.Println(w.Code, string(body))
	// Output: 200 {"resourceType":"Parameters","parameter":[{"name":"outcome","valueCode":"subsumes"}]}
}
