// Package valueset turns a ValueSet's compose into sets of concepts: compose → plan
// → bitmap algebra → Set, which tells membership and lists any page.
//
// A Set refers to the indexes of the code systems it draws from and holds one
// bitmap of concept numbers a system. Where an include selects exactly a set the
// index already has (all codes, the descendants of a concept) the Set refers to
// that set and copies nothing, so compiling costs what the algebra costs and not
// what the result would weigh when written out. Pages are found by rank and select
// on the bitmaps: no expansion is ever materialised, and totals are exact.
//
// Codes listed for a system that is not loaded are kept as listed ("loose" codes).
//
// Identity: a code is the triple of system, version and code, where the version is
// the one the code system was resolved to. Several versions of one system in one
// value set stay apart; an exclude that gives no version applies to every version
// the includes use. The parameter versionsMatch of a compose makes them one, as do
// excludes of other versions than are included, which would do nothing otherwise.
//
// Two value sets are compared by their definitions (CompareDefinitions) where a table of
// rules about what they take from each code system tells how they relate, else by their
// sets (Set.Compare).
//
// Source: https://hl7.org/fhir/R4/valueset.html#compositions.
package valueset
