// Package conceptmap indexes one ConceptMap for translation in both directions.
//
// A Map is immutable and safe for concurrent use. It holds each text once in one
// arena and everything else as numbers, so that a map of a hundred thousand
// mappings takes a few megabytes; it keeps nothing of the resource it was made from.
//
// Codes are compared exactly, as written in the map. A caller who knows that a code
// system is not case-sensitive passes the code in the form the system writes it.
//
// Source: https://hl7.org/fhir/R4/conceptmap.html and
// https://hl7.org/fhir/R4/conceptmap-operation-translate.html.
package conceptmap
