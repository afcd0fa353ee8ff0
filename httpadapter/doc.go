// Package httpadapter serves an engine and a resource service as a FHIR R4 server.
//
// Routes, the CapabilityStatement and OperationDefinitions come from the operation table, so a
// new operation there needs no change here. Interactions with resources come from a table too:
// actions lists what each method does on each kind of path, for all types alike.
//
// Every path is served under each base of the table in bases.go. Bases differ in the rules that
// requests follow. Links and Location have the base of the request. Every error is an OperationOutcome.
//
// The overhead of a request is kept small: buffers and inputs are pooled, headers are set from
// shared slices, and the layers around the router (CORS, compression, logging) decide with one
// comparison whether they take part.
//
// A request passes these files in order: request.go, route.go, operate.go (or search.go, read.go,
// write.go …), body.go, negotiate.go, response.go. Errors are answered in fail.go.
//
// See the clinical document, sections 4 to 8, and https://hl7.org/fhir/R4/http.html.
package httpadapter
