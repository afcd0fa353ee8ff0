// Package document reads a FHIR resource as a tree over its bytes. A Document is a flat list of
// values that point into the source, so that lexical forms, the order of members and white space
// are preserved, and examining a value copies nothing. An Editor changes some values and keeps all
// other bytes.
//
// A Document knows JSON, not FHIR. The packages validate and fhirpath know which elements a
// resource may have.
//
// Source: https://hl7.org/fhir/R4/json.html, RFC 8259.
package document
