// Package loinc reads a release of LOINC as Regenstrief publishes it: the folder or zip
// archive, or the table Loinc.csv alone. It makes one code system, http://loinc.org, and
// value sets and concept maps of the accessory files that are there.
//
// The code system has the terms (display LONG_COMMON_NAME), the parts (LP…), the answers
// (LA…) and the answer lists (LL…). Properties have the names of the columns and those
// that the FHIR page on LOINC gives: the six axes as Codings of parts, other links to
// parts by the last segment of their property (analyte, category, document-kind, …),
// answer-list, answers-for, copyright. Deprecated terms are inactive. The hierarchy is
// that of ComponentHierarchyBySystem or MultiAxialHierarchy. Names in other languages
// are designations.
//
// Answer lists and groups are reference sets of the index: the members of an answer list
// have their place in it and a score, see ListSequence.
//
// Only Loinc.csv (or LoincTableCore.csv) must be there. Files are known by their base
// names without regard to case; the copies in PanelsAndForms are not read.
package loinc
