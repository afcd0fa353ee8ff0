// Package valueset turns a ValueSet's compose into sets of concepts: compose → plan
// → bitmap algebra → Set, which tells membership and lists any page.
package valueset

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Source resolves what a compose names. Implementations are safe for concurrent
// use. CodeSystem returns an error wrapping ErrUnknownSystem (or ErrUnknownVersion),
// ValueSet one wrapping ErrUnknownValueSet. An empty version asks for the default one.
type Source interface {
	CodeSystem(ctx context.Context, url, version string) (*codesystem.Index, error)
	// ValueSet gives the compiled set of another value set. visiting is the chain of
	// canonicals being compiled, for cycle detection; the source passes it to Compile.
	ValueSet(ctx context.Context, canonical string, visiting []string) (*Set, error)
}

// Set is a compiled value set: immutable, safe for concurrent use.
type Set struct{}

// Compile evaluates the compose of vs. visiting is the chain of canonicals that led
// here. contained value sets ("#id") are found in vs itself.
func Compile(ctx context.Context, src Source, vs *r4.ValueSet, visiting []string) (*Set, error) {
	panic("skeleton")
}

// AllCodes is the implicit value set of every code of a system.
func AllCodes(x *codesystem.Index) *Set { panic("skeleton") }

// Entry is one code of a Set. Index is nil for a code listed in the value set whose
// code system is not loaded.
type Entry struct {
	Index                 *codesystem.Index
	Concept               codesystem.Ord
	System, Version, Code string
	Display               string           // the value set's own display if it gives one, else the system's
	Designations          []r4.Designation // the value set's own
	Inactive, Abstract    bool
	Depth                 int // nesting level, when Nested was asked for
}

// PageRequest asks for a page of a Set.
type PageRequest struct {
	Query         *codesystem.Query // nil or empty: in the order of the value set; else best first
	ActiveOnly    bool
	Nested        bool // entries come in preorder with Depth
	Offset, Count int  // Count < 0: no limit
}

// Page calls visit for each entry of the page and returns the exact total of the
// filtered set. It never materialises more than the page.
func (s *Set) Page(ctx context.Context, r PageRequest, visit func(*Entry) error) (total int, err error) {
	panic("skeleton")
}

// Contains finds a code. An empty version matches any version in the set; an empty
// system is allowed when code is in exactly one system of the set (ErrAmbiguousSystem otherwise).
func (s *Set) Contains(system, version, code string) (Entry, bool) { panic("skeleton") }

// Cost is the memory the set holds, in bytes.
func (s *Set) Cost() int64 { panic("skeleton") }
