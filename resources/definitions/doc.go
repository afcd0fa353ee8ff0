// Package definitions holds the code systems and value sets of FHIR R4 core
// (hl7.fhir.r4.core 4.0.1) that are free of third-party copyright, as facts: urls, names,
// codes, displays, hierarchy, properties, and what value sets are composed of. There are
// no definitions, descriptions, comments or narrative in them.
//
// The two files of the package are made by the program in gen: headers.tsv has a row of
// each resource and is used as it lies in the program, so that listing what there is
// reads little and unpacks nothing; documents.ndjson.gz has the resources, a line each,
// in members of about 32 KiB that are unpacked when a document is asked for. What was
// left out and why is in NOTICE and in docs/decisions/0009-base-content.md.
package definitions

//go:generate go run ./gen ../../../shared/data/r4-core .
