// Package loinc reads a release of LOINC as Regenstrief publishes it: the folder or zip archive,
// or the table Loinc.csv alone. It makes one code system, http://loinc.org, and value sets and
// concept maps from the accessory files in the release.
//
// The code system contains the terms (display LONG_COMMON_NAME), the parts (LP…), the answers
// (LA…) and the answer lists (LL…). Properties have the names of the columns, and those defined on
// the FHIR page about LOINC: the six axes as Codings of parts, other links to parts by the last
// segment of their property (analyte, category, document-kind, …), answer-list, answers-for,
// copyright. Deprecated terms are inactive. The hierarchy is that of ComponentHierarchyBySystem or
// MultiAxialHierarchy. Names in other languages are designations. Codes of answers in other systems
// are Codings (ExtCodeId).
//
// A panel has a group of properties for each member: has-member with the code, in the order of the
// panel, then the columns of PanelsAndForms.csv that say something about it, such as
// DisplayNameForForm, ObservationRequiredInPanel and AnswerListIdOverride. member-of is the inverse.
// LOINC and FHIR name no properties for panels; these are the names of the UMLS with a hyphen. Only
// direct members count: a panel within a panel has its own.
//
// Answer lists and groups are reference sets of the index. The members of an answer list have
// their position in it and a score, see ListSequence; the rows of a group have its name, see
// GroupName.
//
// Only Loinc.csv (or LoincTableCore.csv) is required. Files are recognized by their base names
// without regard to case; the copies of other files in PanelsAndForms are not read.
package loinc
