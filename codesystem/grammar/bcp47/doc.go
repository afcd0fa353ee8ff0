// Package bcp47 reads language tags: de, en-GB, zh-Hant-TW, sl-rozaj-biske.
//
// A tag is valid according to RFC 5646 (2.2.9): it follows the grammar, its subtags are
// registered, and none occurs twice. Case is ignored; Tag.String returns the case that RFC 5646
// (2.1.1) recommends.
//
// The subtags and their names come from the IANA language subtag registry (see registry.tsv.lzma,
// which the program in gen makes from the file named by the environment variable REGISTRY). It is
// read when it is first needed.
package bcp47

//go:generate go run ./gen ${REGISTRY} registry.tsv.lzma
