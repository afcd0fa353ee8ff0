// Package terminology has the tools with which an assistant works on code systems, value
// sets and concept maps: find, lookup, validate, expand, subsumes, translate, explain,
// catalogue and diff.
//
// Each tool runs operations of the table of package operation, on an engine in the process
// (Local) or on a server (Remote), and makes a small answer of the FHIR resource that comes
// back. So the tools answer what HTTP and the terminal answer. All of them only read.
//
// A tool accepts a code system or value set by its canonical, or by a name that the
// catalogue has once. It returns codes that exist only, and an error says what to do next.
package terminology
