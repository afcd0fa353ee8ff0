package valueset

import (
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Entry is a code of a Set. Index is nil for a listed code whose code system is not loaded.
// Strings and slices share memory with the index and the value set and must not be modified.
type Entry struct {
	Index                 *codesystem.Index
	Concept               codesystem.Ord
	System, Version, Code string
	Display               string // the display in the value set if it has one, otherwise the one in the code system
	Inactive, Abstract    bool
	Depth                 int // nesting level, if Nested is set

	label *label // nil if the value set adds nothing
}

// Own returns the display that the value set defines for the code, or "".
func (e *Entry) Own() string {
	if e.label == nil {
		return ""
	}
	return e.label.display
}

// Designations returns the designations that the value set defines for the code.
func (e *Entry) Designations() []r4.Designation {
	if e.label == nil {
		return nil
	}
	return e.label.designations
}

// Extensions returns the extensions that the value set defines for the code.
func (e *Entry) Extensions() r4.Extensions {
	if e.label == nil {
		return nil
	}
	return e.label.extensions
}

// looseCode is a listed code of a system that is not loaded, or of a system loaded in part (a
// fragment) whose loaded part lacks the code.
type looseCode struct {
	system, version, code string
	label
	inactive, abstract bool
	next               int32 // index of the next loose code with the same key, or -1
}

// looseKey identifies loose codes of any version.
type looseKey struct{ system, code string }

// looseVersion identifies a loose code.
type looseVersion struct {
	looseKey
	version string
}

// sameVersion reports whether two versions match. An empty version matches any.
func sameVersion(a, b string) bool { return a == b || a == "" || b == "" }

// fits reports whether an entry matches a requested version. A loaded system has a fixed version;
// a loose code listed without a version matches any.
func (e *Entry) fits(version string) bool {
	return version == "" || version == e.Version || e.Index == nil && e.Version == ""
}

func (c *looseCode) fill(e *Entry) {
	*e = Entry{
		System: c.system, Version: c.version, Code: c.code, Display: c.display, label: &c.label,
		Inactive: c.inactive, Abstract: c.abstract,
	}
}
