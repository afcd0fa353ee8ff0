// Package r4 holds the FHIR R4 datatypes and resources that terminology touches,
// and the codec that reads and writes them.
//
// It is the leaf of the project: it imports only the standard library. Resources
// that Roget only stores stay documents (their JSON as sent); CodeSystem, ValueSet,
// ConceptMap, Parameters and OperationOutcome have narrow structs here.
//
// Reading is strict: input must be UTF-8 JSON without duplicate keys, no deeper
// and no larger than a Limits allows, and every error is a *SyntaxError that names
// line, column and the FHIRPath-like expression of the element. Writing on the hot
// path is append-style (AppendString, ParametersWriter) and uses no reflection.
//
// Source: https://hl7.org/fhir/R4/datatypes.html and json.html.
package r4
