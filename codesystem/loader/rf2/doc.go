// Package rf2 reads releases of SNOMED CT in Release Format 2: Snapshot, Full and Delta, from
// folders and zip archives, several packages together.
//
// It is built on one idea: every file consists of rows about components, and for each component
// the row with the latest effectiveTime counts that is not after Options.AsOf. A single Snapshot
// has one row for each component and needs no lookup. For Full files, Deltas and several packages,
// a table maps each component to its row.
//
// The rows are stored in a few compact tables. Files are read in the order of their dependencies:
// module dependencies and concepts first, then descriptions, language reference sets,
// relationships and other reference sets in parallel. The concepts are then added to a
// codesystem.Builder in the order of their identifiers, so the index does not depend on whether it
// was made from a Snapshot, a Full or a Delta.
//
// One Load makes one edition: http://snomed.info/sct in the version
// http://snomed.info/sct/MODULE/version/DATE. Besides parent and child, its concepts have the
// properties inactive, sufficientlyDefined, moduleId, effectiveTime, and every attribute under its
// concept identifier, with the number of its relationship group. Descriptions are designations
// with their description type as use and with details; reference sets about concepts become
// reference sets of the index.
package rf2
