// Package r4 contains the FHIR R4 datatypes and resources of terminology, and the codec that reads
// and writes them.
//
// It imports only the standard library. Resources that Roget merely stores remain documents (their
// JSON as sent); CodeSystem, ValueSet, ConceptMap, Parameters and OperationOutcome have narrow
// structs here.
//
// Reading is strict: input must be UTF-8 JSON without duplicate keys, within the depth and size of
// a Limits, and every error is a *SyntaxError with line, column and the FHIRPath-like expression of
// the element. Writing on hot paths appends to byte slices (AppendString, ParametersWriter) and
// uses no reflection.
//
// Source: https://hl7.org/fhir/R4/datatypes.html and json.html.
package r4
