// Package bcp47 reads language tags: de, en-GB, zh-Hant-TW, sl-rozaj-biske.
//
// A tag is valid as RFC 5646 (2.2.9) has it: it follows the grammar, its subtags are
// registered, none is there twice. Letters count in any case; Tag.String gives the case
// that RFC 5646 (2.1.1) recommends.
//
// The subtags and their names come from the IANA language subtag registry (as of
// registry.tsv.gz, made by the program in gen). It is read when first needed.
package bcp47

//go:generate go run ./gen ../../../../shared/data/bcp47/registry.json.gz registry.tsv.gz
