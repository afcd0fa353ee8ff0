// Package index is what a store knows of a resource besides its text: the values of its
// search parameters, as Values that travel with the version, and as entries of one ordered
// key space that is scanned to find versions.
//
// An Extractor makes Values of a document. Values.Entries gives the entries: byte strings
// that sort by parameter, then by value. A store keeps each entry with the sequence number
// (Seq) of the version it belongs to, so that one ordered table answers every search:
//
//	entry = parameter number (4 bytes, big endian) | key | value in sortable bytes
//
// Entries narrow a search down; whether a version matches is decided by its Values, which
// hold values exactly where entries hold hashes of them. Entries of a superseded version
// stay until they are purged, so that pages of one search come from one state.
//
// Extractor.Field returns the ranges of entries where what a search asks for can be. Decision 21
// (docs/decisions/0021-index-key-space.md) describes every byte.
//
// Source: https://hl7.org/fhir/R4/search.html.
package index
