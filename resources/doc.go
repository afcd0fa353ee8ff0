// Package resources is the resource half of Roget: a Service that checks, stores, finds
// and changes FHIR R4 resources of every type, as the interactions of the specification
// have it (https://hl7.org/fhir/R4/http.html). Resources are kept as the documents that
// were sent, in a Store; what a store can do besides (history, indexes, transactions,
// word of other writers) are interfaces of their own. A Listener hears of changes before
// and after they are stored, which is how terminology becomes live in the engine.
package resources
