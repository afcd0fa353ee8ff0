// Package codesystem indexes one version of one CodeSystem for reading at memory
// speed: codes, hierarchy with ancestor and descendant sets, properties,
// designations and text.
//
// An Index is immutable and safe for any number of goroutines. It is a view over
// one contiguous byte slice, either just built in memory (Builder) or mapped from
// disk (Open): both are the same bytes, so a reopened snapshot answers as the built
// index does.
//
// Concepts are numbered densely (Ord) in preorder of a spanning tree of the
// hierarchy, children in source order; in a flat system that is the order of the
// source. A tree then needs one interval a concept to tell its descendants, and
// expansions come in the order people wrote the concepts.
//
// What RF2 says and FHIR R4 has no element for is kept beside: groups of properties
// (Attribute), details of designations (DesignationKind) and reference sets (Refset).
//
// Sharp edges: strings and slices returned by an Index share its memory and must
// not be modified; bitmaps returned are frozen and must be cloned before changing.
// The memory of a mapped snapshot stays mapped for the life of the process, so
// strings taken from it never dangle.
package codesystem
