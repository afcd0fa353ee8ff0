// Package definitions holds facts of FHIR R4 (hl7.fhir.r4.core 4.0.1): of the core code
// systems and value sets that are free of third-party copyright, and of the types,
// search parameters and compartments that writing and searching need.
//
// All returns the code systems and value sets: urls, names, codes, displays, hierarchy,
// properties, and what value sets are composed of. There are no definitions,
// descriptions, comments or narrative in them. headers.tsv.gz has a row of each, so that
// listing what there is reads little; documents.ndjson.gz has the resources, a line each, in members of about 32 KiB that are
// unpacked when a document is asked for. What was left out and why is in NOTICE and in
// docs/decisions/0009-base-content.md.
//
// R4 returns the Tables: types with their elements, lists of codes of required bindings,
// search parameters for each type, compartments. They are unpacked from tables.tsv.gz
// when first asked for. Beside R4's they have a few parameters and compartment members of
// our own (own.go).
//
// The three files are made by the program in gen.
package definitions

//go:generate go run ./gen ../../../shared/data/r4-core .
