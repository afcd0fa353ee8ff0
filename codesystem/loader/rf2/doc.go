// Package rf2 reads releases of SNOMED CT in Release Format 2: Snapshot, Full and Delta,
// from folders and zip archives, several packages together.
//
// One idea carries it: every file gives rows about components, and of each component the
// row with the latest effectiveTime counts, as far as it is not after Options.AsOf. A
// single Snapshot has one row for each component and needs no bookkeeping; for Full files,
// Deltas and several packages a table tells where the row of a component lies.
//
// What is read is kept in a few compact tables, by file in the order of what depends on
// what (module dependencies and concepts first, then descriptions, language reference
// sets, relationships and other reference sets side by side), and handed to a
// codesystem.Builder concept by concept in the order of their identifiers. So the index
// does not depend on whether it was made from a Snapshot, a Full or a Delta.
//
// One Load makes one edition: http://snomed.info/sct in the version
// http://snomed.info/sct/MODULE/version/DATE. Its concepts have these properties beside
// parent and child: inactive, sufficientlyDefined, moduleId, effectiveTime, and every
// attribute under its concept identifier, with the number of its relationship group.
// Descriptions are designations with their description type as use and with details;
// reference sets about concepts are those of the index.
package rf2
