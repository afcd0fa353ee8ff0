// Package index defines the search index of a store: the values of the search parameters of each
// version, as Values that are stored with it, and entries of an ordered key space that is scanned
// to find versions.
//
// An Extractor makes the Values of a document. Values.Entries returns the entries: byte strings
// that sort by parameter, then by value. A store keeps each entry with the sequence number (Seq) of
// its version, so that one ordered table answers every search:
//
//	entry = parameter number (4 bytes, big endian) | key | value in sortable bytes
//
// Entries narrow a search down. Whether a version matches is decided by its Values, which hold
// exact values where entries hold hashes. Entries of a superseded version stay until they are
// purged, so that the pages of one search show the same state.
//
// Extractor.Field returns the ranges of entries that may match a search value. Decision 21
// (docs/decisions/0021-index-key-space.md) describes every byte.
//
// Source: https://hl7.org/fhir/R4/search.html.
package index
