// Package valueset compiles the compose of a ValueSet into sets of concepts: compose → plan →
// bitmap algebra → Set, which tests membership and lists any page.
//
// A Set refers to the indexes of its code systems and holds one bitmap of concept numbers per
// system. Where an include selects a set that the index already has (all codes, the descendants
// of a concept), the Set refers to that set and copies nothing. So the cost of compiling is the
// cost of the algebra, not the size of the expansion. Pages are found with rank and select on the
// bitmaps: expansions are never materialised, and totals are exact.
//
// Listed codes of a system that is not loaded are stored as listed ("loose" codes).
//
// Identity: a code is identified by system, version and code, where the version is the one that
// the code system was resolved to. Several versions of a system in one value set stay apart. An
// exclude without a version applies to every version that the includes use. The parameter
// versionsMatch of a compose merges the versions, and so do excludes of versions that are not
// included, which would have no effect otherwise.
//
// Two value sets are compared by their definitions (CompareDefinitions) if a table of rules about
// single code systems determines the relation, and by their sets (Set.Compare) otherwise.
//
// Source: https://hl7.org/fhir/R4/valueset.html#compositions.
package valueset
