// Package txtest sends the test cases of HL7's FHIR terminology ecosystem to an
// http.Handler and judges the answers.
//
// The cases are a folder of files in R5 form: test-cases.json names suites, their
// set-up resources, requests and expected answers. Roget speaks R4, so a request is
// converted on its way out and an answer on its way back. What no case may depend on
// (narrative, meta, diagnostics, foreign extensions) is removed from an answer, lists
// without a meaningful order are sorted, and the rest is held against the expected
// answer, which is a template: strings such as $uuid$ stand for any value of a form, and
// members such as $optional$ say what may be missing.
//
//	cases, err := txtest.Open("../shared/conformance/tests")
//	runner := txtest.Runner{Handler: handler, Base: "/baseR4", Modes: []string{"general"}}
//	result, err := runner.Run(ctx, cases.Suites()[0].Cases[0])
//
// A Runner does not touch the network and stores nothing between calls.
package txtest
