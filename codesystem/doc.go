// Package codesystem indexes one version of one CodeSystem for reading at memory speed: codes,
// hierarchy with ancestor and descendant sets, properties, designations and text.
//
// An Index is immutable and safe for concurrent use. It is a view of one contiguous byte slice,
// either built in memory (Builder) or mapped from disk (Open). Both are the same bytes, so a
// reopened snapshot answers exactly as the built index does.
//
// Concepts are numbered densely (Ord) in preorder of a spanning tree of the hierarchy, with
// children in source order. In a flat system that is the order of the source. In a tree, one
// interval per concept therefore holds all its descendants, and expansions list concepts in the
// order in which people wrote them.
//
// RF2 data for which FHIR R4 has no element is stored as well: groups of properties (Attribute),
// details of designations (DesignationKind) and reference sets (Refset).
//
// Sharp edges: strings and slices returned by an Index share its memory and must not be modified.
// Bitmaps are returned frozen and must be cloned before changing. The memory of a mapped snapshot
// stays mapped for the life of the process, so strings from it never dangle.
package codesystem
