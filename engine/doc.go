// Package engine answers FHIR terminology operations from code systems, value sets and
// concept maps held in memory or in mapped snapshots: the façade of Roget for programs
// that embed it.
//
//	eng := engine.New()
//	err := eng.Publish(engine.CodeSystemEntry(index, "my file"))
//	r, err := eng.Lookup(ctx, &engine.LookupRequest{System: url, Code: "E11"})
//
// The operations are methods, each with its own request and result:
//
//	Lookup                a concept with its properties        CodeSystem/$lookup
//	Subsumes              how two codes relate                 CodeSystem/$subsumes
//	ValidateCodeInSystem  is a code in a code system           CodeSystem/$validate-code
//	FindMatches           codes by their properties            CodeSystem/$find-matches
//	ValidateCode          is a code in a value set             ValueSet/$validate-code
//	MemberOf              the same, with a short answer        /terminology/memberOf
//	Expand                a page of the codes of a value set   ValueSet/$expand
//	Explain               why a code is in a value set or not  ValueSet/$explain
//	Compare               how two value sets relate            ValueSet/$compare
//	Translate             codes of another system              ConceptMap/$translate
//	Containing            the published value sets with a code
//	System                the index of a code system, for programs that use it directly
//
// A result of an operation of FHIR can write itself as the resource (AppendJSON), say whether
// the answer is yes (Yes), and return itself as a table for people (Table).
//
// An Engine holds one immutable state. Publish, Withdraw and the function that Prepare
// returns make the next state and install it; a request works on the state it began with.
// With returns an engine that shares everything and adds resources. Overlays makes and
// caches such engines for requests that come with resources.
//
// The packages below do the work: catalog has what is published, resolve finds and compiles
// what requests name, validation, expansion and conceptmap do their operations, language
// chooses displays, and issue has the errors and messages.
//
// Note:
//
//   - Requests and results share memory with the index: do not modify strings and slices
//     of a result. A mapped snapshot stays mapped until the process ends.
//   - A canonical may be url or url|version. Which version is used when none is named is
//     described in catalog/version.go and docs/decisions/0008-versions.md.
//   - An unknown code is an error of Lookup and Subsumes (ErrUnknownCode), and a result of
//     false everywhere else. An unknown code system is an error, except for ValidateCode and
//     ValidateCodeInSystem, which report it in their result.
//   - An engine follows clinical rules unless WithRules or Under states others; see Rules.
//   - Under the clinical rules, Expand returns 100 codes unless Count or WithDefaultCount says
//     otherwise. Total always counts the whole expansion.
//   - DisplayLanguage changes displays, never membership.
//   - Language packs (supplements with displays) are used for the code system they name
//     without being requested; other supplements only if the request or the value set names
//     them. Supplements add displays, designations and properties, never codes.
package engine
