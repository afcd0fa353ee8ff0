// Package closure maintains closure tables for clients (ConceptMap/$closure, R4
// terminology-service.html#closure). A client adds the codes that it meets to a named table, and is
// told for each of them which codes of the table subsume it and which it subsumes.
//
// A table is a list of changes in a journal: who has the journal has the table, so tables are as
// durable as the store, and several processes may add to one. What subsumes what is not stored: it
// follows from the code systems. If these change, a table must be initialised again.
//
// The cost of adding codes depends on their ancestors and on the relations that are found, not on the
// size of the table.
package closure

import (
	"context"
	"errors"
	"time"

	"github.com/roget-health/roget/codesystem"
)

// Errors of tables.
var (
	// ErrBadName is returned for a name that no table may have.
	ErrBadName = errors.New("invalid closure name")
	// ErrNotInitialised is returned for a table that does not exist.
	ErrNotInitialised = errors.New("the closure table is not initialized")
	// ErrReinitialise is returned for a table whose code systems have changed, and for a version of
	// it from before it was initialised again.
	ErrReinitialise = errors.New("the closure table must be reinitialized")
	// ErrTooLarge is returned when there are too many tables, or too many codes in one, or for an
	// answer with too many entries.
	ErrTooLarge = errors.New("limit of closure tables exceeded")
)

// Terminology answers what a table asks about code systems. *engine.Engine implements it.
type Terminology interface {
	// Hierarchy returns a version of a code system, the default version if version is "", and
	// whether its codes follow a grammar.
	Hierarchy(system, version string) (x *codesystem.Index, grammar bool, err error)
	// HasCode reports whether a code system with a grammar has a code.
	HasCode(ctx context.Context, x *codesystem.Index, code string) (bool, error)
}

// Limits bound the tables. A zero field means the default.
type Limits struct {
	MaxTables   int           // default 100
	MaxConcepts int           // codes in a table; default 500,000
	MaxBytes    int64         // codes and changes of a table; default 32 MiB
	MaxEntries  int           // relations in an answer; default 2,000,000
	MaxCached   int           // codes of all tables in memory, except those in use; default 2,000,000
	Idle        time.Duration // after which a table leaves memory; default 30 minutes
}

func (l Limits) orDefaults() Limits {
	for _, f := range []struct {
		value *int
		d     int
	}{{&l.MaxTables, 100}, {&l.MaxConcepts, 500_000}, {&l.MaxEntries, 2_000_000}, {&l.MaxCached, 2_000_000}} {
		if *f.value <= 0 {
			*f.value = f.d
		}
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 32 << 20
	}
	if l.Idle <= 0 {
		l.Idle = 30 * time.Minute
	}
	return l
}

// An Answer is what a client is to add to its table.
type Answer struct {
	Name    string
	Version int64 // of the table
	Created bool  // the table is new or was initialised again
	At      time.Time
	Groups  []Group
}

// A Group has the relations within one code system.
type Group struct {
	System, Version string
	Elements        []Element
}

// An Element is a code with the codes that subsume it.
type Element struct {
	Code    string
	Targets []Target
}

// A Target is a code that subsumes the code of the Element, or that means the same.
type Target struct {
	Code  string
	Equal bool
}
