// Package document reads a FHIR resource as a tree over the bytes it was sent in. A Document
// is one flat list of values that points into the source, so lexical forms, the order of
// members and white space stay what they were, and looking at a value copies nothing. An
// Editor changes some values and keeps every other byte.
//
// A Document knows JSON, not FHIR: which elements a resource may have is for the packages
// validate and fhirpath.
//
// Source: https://hl7.org/fhir/R4/json.html, RFC 8259.
package document
