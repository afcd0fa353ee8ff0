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

// Status returns the standards status of a designation.
func (w *Wording) Status() string { return w.Extension.Text(issue.StandardsStatus) }

// Current reports whether a text is still in use.
func (w *Wording) Current() bool {
	if w.Extension == nil {
		return true
	}
	status := w.Status()
	return status != "withdrawn" && status != "inactive"
}

// ForDisplay reports whether a text is meant for display.
func (w *Wording) ForDisplay() bool { return w.rank() <= 1 }

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

// useRank returns the rank of a text by its use.
func useRank(use *r4.Coding) int {
	if use == nil {
		return 1
	}
	switch use.Code {
	case "display", "preferredForLanguage", "preferred",
		"900000000000548007": // preferred term of SNOMED CT
		return 0
	case "900000000000003001", "900000000000550004": // fully specified name and definition of SNOMED CT
		return useName
	}
	return 2
}
