// Package resources is the resource half of Roget. A Service validates, stores, searches and
// changes FHIR R4 resources of every type, following the interactions of the specification
// (https://hl7.org/fhir/R4/http.html). Resources are stored as the documents that were sent.
//
// A Store reads and writes by id. History, indexes, transactions and notification of other writers
// are optional interfaces of a store. A Listener is called before and after each change is stored;
// through it terminology becomes live in the engine.
package resources
