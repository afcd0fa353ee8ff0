// Package httpadapter serves an engine and a resource service as a FHIR R4 server.
//
// It reads the operation table, so that an operation added there has its routes, its
// place in the CapabilityStatement and its OperationDefinition without a change here. The
// interactions with resources are a table too: actions has what each method does at each
// kind of path, for all types alike.
//
// Every path is served from the root and under /baseR4; links and Location keep the
// prefix a request came by. Every error is an OperationOutcome.
//
// What a request costs beside its operation is kept small: buffers and inputs are
// pooled, headers are set from slices made once, and the layers around the router
// (CORS, compression, logging) decide by one comparison whether they take part.
//
// See the clinical document, sections 4 to 8, and https://hl7.org/fhir/R4/http.html.
package httpadapter
