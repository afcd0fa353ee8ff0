// Package fhir reads FHIR CodeSystem, ValueSet and ConceptMap resources from files and streams: JSON,
// NDJSON, XML, Bundles, gzip of these, folders, and FHIR packages (.tgz or unpacked). Resources are R4 or
// R5, which their content shows. R5 is delivered as R4, with HL7's cross-version extensions.
//
// Everything streams. The concepts of a CodeSystem go one by one into a codesystem.Builder,
// whatever the order of the elements in the file. Memory only holds the index being built and one
// buffer. Value sets and concept maps are delivered as documents.
//
// Input is not trusted: JSON is checked strictly (see resources/r4), Limits bound nesting, sizes
// and the ratio of decompression, names in archives that point outside of them are refused, and
// links in archives are skipped. An error names the file, the line and the expression of the
// element.
package fhir
