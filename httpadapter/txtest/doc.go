// Package txtest runs the test cases of HL7's FHIR terminology ecosystem against an http.Handler.
//
// The cases are a folder of files in R5: test-cases.json lists suites with their setup resources,
// requests and expected responses. Roget implements R4, so requests are converted to R4 and
// responses back to R5. Before the comparison, everything that no case may depend on (narrative,
// meta, diagnostics, foreign extensions) is removed from a response, and lists without a meaningful
// order are sorted. The expected response is a template: strings such as $uuid$ match any value of a
// form, and members such as $optional$ mark what may be missing.
//
//	cases, err := txtest.Open("../shared/conformance/tests")
//	runner := txtest.Runner{Handler: handler, Base: "/r4", Modes: []string{"general"}}
//	result, err := runner.Run(ctx, cases.Suites()[0].Cases[0])
//
// A Runner does not use the network and stores nothing between calls.
package txtest
