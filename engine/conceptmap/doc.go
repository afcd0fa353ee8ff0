// Package conceptmap indexes one ConceptMap for translation in both directions.
//
// A Map is immutable and safe for concurrent use. It stores each distinct text once, in one arena,
// and everything else as numbers, so that a map with a hundred thousand mappings takes a few
// megabytes. It does not reference the resource it was made from.
//
// Codes are compared exactly, as written in the map. For a case-insensitive code system, the
// caller must pass the code as the code system writes it.
//
// Source: https://hl7.org/fhir/R4/conceptmap.html and
// https://hl7.org/fhir/R4/conceptmap-operation-translate.html.
package conceptmap
