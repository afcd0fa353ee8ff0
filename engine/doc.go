// Package engine answers FHIR terminology operations from code systems, value sets and
// concept maps held in memory or in mapped snapshots: the façade of Roget for programs
// that embed it.
//
//	eng := engine.New()
//	err := eng.Publish(engine.CodeSystemEntry(index, "my file"))
//	r, err := eng.Lookup(ctx, &engine.LookupRequest{System: url, Code: "E11"})
//
// The operations, each a method with a request and a result of its own:
//
//	Lookup                what is known of a code              CodeSystem/$lookup
//	Subsumes              how two codes relate                 CodeSystem/$subsumes
//	ValidateCodeInSystem  is a code in a code system           CodeSystem/$validate-code
//	FindMatches           codes by their properties            CodeSystem/$find-matches
//	ValidateCode          is a code in a value set             ValueSet/$validate-code
//	MemberOf              the same, short                      /terminology/memberOf
//	Expand                a page of the codes of a value set   ValueSet/$expand
//	Explain               why a code is in a value set or not  ValueSet/$explain
//	Compare               how two value sets relate            ValueSet/$compare
//	Translate             codes of another system              ConceptMap/$translate
//	System                the index of a code system, for loops that ask it directly
//
// Results write themselves as the FHIR resource of the operation (AppendJSON), say
// whether they are a yes (Yes), and show themselves as a table for people (Table).
//
// An Engine holds one immutable state. Publish, Withdraw and the step that Prepare
// returns make the next state and swap it in; a request works on the state it began
// with. With returns an engine that shares everything and adds resources of its own;
// Overlays makes and keeps such engines for requests that bring resources along.
//
// What all operations share is in one place each: versions (version.go), languages
// (language.go), supplements (supplements.go), the texts of issues (messages.go).
//
// Sharp edges:
//
//   - Requests and results share memory with the index: strings and slices of a result
//     are not to be modified. A snapshot that is mapped stays mapped for the life of the
//     process.
//   - A canonical may be url or url|version wherever one is asked for. Which version
//     answers when none is named is in version.go, and in docs/decisions/0008-versions.md.
//   - A code that is not there is an error of Lookup and Subsumes (ErrUnknownCode), and a
//     result of false everywhere else. A code system that is not there is an error, but
//     not of ValidateCode and ValidateCodeInSystem, which say so in their result.
//   - Expand gives 100 codes unless Count or WithDefaultCount says otherwise, and all of
//     them in an engine of Overlays; Total is always of the whole.
//   - DisplayLanguage changes displays, never membership.
//   - Language packs (supplements of displays) apply by themselves to the code system they
//     name, other supplements where the request or the value set names them: they add
//     displays, designations and properties, never codes.
package engine
