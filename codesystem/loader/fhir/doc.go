// Package fhir reads FHIR R4 CodeSystem, ValueSet and ConceptMap resources from files
// and streams: JSON, NDJSON, Bundles, gzip of these, folders, and FHIR packages (.tgz
// or unpacked).
//
// Everything streams. The concepts of a CodeSystem go one by one into a
// codesystem.Builder, whatever the order of the elements in the file; what stays in
// memory is the index being built and one buffer. Value sets and concept maps are
// handed on as documents.
//
// Input is trusted in nothing: JSON is checked strictly (see resources/r4), nesting,
// sizes and the ratio of decompression are bounded by Limits, names in archives that
// point outside of them are refused, links in archives are passed over. An error names
// the file, the line and the expression of the element.
package fhir
