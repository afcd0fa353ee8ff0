// Package definitions contains facts of FHIR R4 (hl7.fhir.r4.core 4.0.1): the core code systems and
// value sets that are free of third-party copyright, and the types, search parameters and
// compartments that writing and searching need.
//
// All returns the code systems and value sets: URLs, names, codes, displays, hierarchy, properties,
// and the composition of value sets. They contain no definitions, descriptions, comments or
// narrative. headers.tsv.lzma has a row for each of them, so that listing them is cheap.
// documents.ndjson.lzma has the rest of each, one a line, unpacked on demand. NOTICE and docs/decisions/0009-base-content.md state what was left out and why.
//
// R4 returns the Tables: types with their elements, lists of codes of required bindings, value
// sets of other bindings, constraints, search parameters of each type, compartments. They are unpacked from tables.tsv.lzma on
// first use. In addition to R4 they have a few search parameters and compartment members of this project
// (own.go).
//
// R5 returns the Tables of FHIR 5.0.0 for the types of terminology, from r5.tsv.lzma.
//
// The program in gen makes the three files of R4, and gen/r5/Tables.java the one of R5.
package definitions

//go:generate go run ./gen ../../../shared/data/r4-core .
