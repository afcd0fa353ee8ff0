package txtest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/roget-health/roget/httpadapter/txtest"
)

func ExampleRunner_Run() {
	cases, err := txtest.Open("testdata/cases")
	if err != nil {
		log.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"resourceType":"CapabilityStatement","fhirVersion":"4.0.1","rest":[{"mode":"client"}]}`)
	})
	runner := txtest.Runner{Handler: handler, Modes: []string{"general"}}
	for _, suite := range cases.Suites() {
		if suite.Name != "statement" {
			continue
		}
		result, err := runner.Run(context.Background(), suite.Cases[0])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Passed(), result.Difference)
	}
	// Output:
	// false rest: entry not found: {"mode":"server"}
}
