package valueset

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Entry is one code of a Set. Index is nil for a code listed in the value set whose
// code system is not loaded. Strings and slices share memory with the index and the
// value set and must not be modified.
type Entry struct {
	Index                 *codesystem.Index
	Concept               codesystem.Ord
	System, Version, Code string
	Display               string // the value set's own display if it gives one, else the system's
	Inactive, Abstract    bool
	Depth                 int // nesting level, when Nested was asked for

	own *label // nil: nothing
}

// Own returns the display that the value set itself has for the code, "" when it has none.
func (e *Entry) Own() string {
	if e.own == nil {
		return ""
	}
	return e.own.display
}

// Designations returns the designations that the value set itself has for the code.
func (e *Entry) Designations() []r4.Designation {
	if e.own == nil {
		return nil
	}
	return e.own.designations
}

// Extensions returns the extensions that the value set itself has for the code.
func (e *Entry) Extensions() r4.Extensions {
	if e.own == nil {
		return nil
	}
	return e.own.extensions
}

// label is what a value set says itself about a code it lists.
type label struct {
	display      string
	designations []r4.Designation
	extensions   r4.Extensions
}

// labelOf is what a value set says in a reference to a concept.
func labelOf(c *r4.ConceptReference) label { return label{c.Display, c.Designation, c.Extension} }

func (l *label) empty() bool {
	return l.display == "" && len(l.designations) == 0 && len(l.extensions) == 0
}

// looseCode is a code listed for a system that is not loaded, or that the loaded
// part of the system (a fragment) does not have.
type looseCode struct {
	system, version, code string
	label
	inactive, abstract bool
	next               int32 // the next loose code of the same key, or -1
}

// looseKey finds loose codes whatever their version.
type looseKey struct{ system, code string }

// sameVersion: a version that is not given matches any.
func sameVersion(a, b string) bool { return a == b || a == "" || b == "" }

// fits reports whether an entry answers a question for a version. A loaded system has
// the version it has; a loose code listed without a version stands for any.
func (e *Entry) fits(version string) bool {
	return version == "" || version == e.Version || e.Index == nil && e.Version == ""
}

func (c *looseCode) fill(e *Entry) {
	*e = Entry{
		System: c.system, Version: c.version, Code: c.code, Display: c.display, own: &c.label,
		Inactive: c.inactive, Abstract: c.abstract,
	}
}
