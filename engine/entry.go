package engine

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
)

// Entry is one terminology resource the engine answers from.
type Entry = catalog.Entry

// VersionRules choose the versions of code systems and value sets for one request.
type VersionRules = catalog.VersionRules

// CodeSystemEntry makes the entry of an index that is at hand.
func CodeSystemEntry(x *codesystem.Index, origin string) *Entry {
	return catalog.CodeSystemEntry(x, origin)
}

// ValueSetEntry makes the entry of a value set that is at hand.
func ValueSetEntry(vs *r4.ValueSet, origin string) *Entry { return catalog.ValueSetEntry(vs, origin) }

// ConceptMapEntry makes the entry of a concept map that is at hand.
func ConceptMapEntry(m *r4.ConceptMap, origin string) *Entry {
	return catalog.ConceptMapEntry(m, origin)
}

// GrammarEntries returns the code systems of package codesystem/grammar and the value sets of
// their codes in common use. The entries are BuiltIn; making them reads nothing.
func GrammarEntries() []*Entry { return catalog.GrammarEntries() }
