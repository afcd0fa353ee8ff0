package language

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// A Wording is a text of a concept: its display or a designation.
type Wording struct {
	Text, Language string
	Use            *r4.Coding
	Extension      r4.Extensions
	// Display is true for a display of the code system, of a supplement, or of the value set.
	Display bool
	// Supplement is the source of the text, nil for the code system and the value set.
	Supplement *codesystem.Index
	Accepted   []codesystem.Acceptability // in language reference sets
	// Inactive is true for an inactive designation of the code system; see Concept.Former.
	Inactive bool
}

// AcceptedIn reports whether a language reference set has the text, and whether as the preferred
// term.
func (w *Wording) AcceptedIn(refset string) (in, preferred bool) {
	for i := range w.Accepted {
		if w.Accepted[i].Refset == refset {
			return true, w.Accepted[i].Preferred
		}
	}
	return false, false
}

// Status returns the standards status of a designation, or inactive.
func (w *Wording) Status() string {
	if w.Inactive {
		return "inactive"
	}
	return w.Extension.Text(issue.StandardsStatus)
}

// Current reports whether a text is still in use.
func (w *Wording) Current() bool {
	if w.Inactive {
		return false
	}
	if w.Extension == nil {
		return true
	}
	status := w.Status()
	return status != "withdrawn" && status != "inactive"
}

// ForDisplay reports whether a text is meant for display.
func (w *Wording) ForDisplay() bool { return w.rank() <= 1 }

// Names reports whether a text names the concept: a text for display, and a synonym or fully
// specified name of SNOMED CT.
func (w *Wording) Names() bool {
	return w.ForDisplay() || w.Use != nil && (w.Use.Code == synonym || w.Use.Code == fullName)
}

// rank orders texts of one language; texts meant for display have the lowest rank.
func (w *Wording) rank() int {
	if w.Display {
		return 0
	}
	rank := useRank(w.Use)
	if rank < useName && slices.ContainsFunc(w.Accepted, func(a codesystem.Acceptability) bool { return a.Preferred }) {
		return 0
	}
	return rank
}

// useName is the rank of texts that are not for display: fully specified names and definitions.
const useName = 3

// Types of descriptions of SNOMED CT.
const (
	fullName   = "900000000000003001"
	synonym    = "900000000000013009"
	definition = "900000000000550004"
)

// useRank returns the rank of a text by its use.
func useRank(use *r4.Coding) int {
	if use == nil {
		return 1
	}
	switch use.Code {
	case "display", "preferredForLanguage", "preferred",
		"900000000000548007": // preferred term of SNOMED CT
		return 0
	case fullName, definition:
		return useName
	}
	return 2
}
