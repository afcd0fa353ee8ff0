package engine

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/resources/r4"
)

// Entry is a terminology resource that an engine answers from.
type Entry = catalog.Entry

// VersionRules select the versions of code systems and value sets for one request.
type VersionRules = catalog.VersionRules

// CodeSystemEntry returns the entry of an index in memory.
func CodeSystemEntry(x *codesystem.Index, origin string) *Entry {
	return catalog.CodeSystemEntry(x, origin)
}

// ValueSetEntry returns the entry of a value set in memory.
func ValueSetEntry(vs *r4.ValueSet, origin string) *Entry { return catalog.ValueSetEntry(vs, origin) }

// ConceptMapEntry returns the entry of a concept map in memory.
func ConceptMapEntry(m *r4.ConceptMap, origin string) *Entry {
	return catalog.ConceptMapEntry(m, origin)
}

// GrammarEntries returns entries for the code systems of package codesystem/grammar, and for value
// sets of their codes in common use. The entries are BuiltIn. Nothing is read until an entry is
// used.
func GrammarEntries() []*Entry { return catalog.GrammarEntries() }
