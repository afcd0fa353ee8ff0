package language

import (
	"slices"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// Wording is one text of a concept: its display, or a designation.
type Wording struct {
	Text, Language string
	Use            *r4.Coding
	Extension      r4.Extensions
	// display marks the display of the code system, of a supplement, or of the value set.
	Display bool
	// supplement is where the text comes from, nil for the code system and the value set.
	Supplement *codesystem.Index
	Accepted   []codesystem.Acceptability // the language reference sets that have it
}

// AcceptedIn reports that a language reference set has a text, and that it is the preferred one.
func (w *Wording) AcceptedIn(refset string) (in, preferred bool) {
	for i := range w.Accepted {
		if w.Accepted[i].Refset == refset {
			return true, w.Accepted[i].Preferred
		}
	}
	return false, false
}

// Status is the standards status of a designation.
func (w *Wording) Status() string { return w.Extension.Text(issue.StandardsStatus) }

// Current reports that a text may still be used.
func (w *Wording) Current() bool {
	if w.Extension == nil {
		return true
	}
	status := w.Status()
	return status != "withdrawn" && status != "inactive"
}

// ForDisplay reports that a text is meant to be shown for the concept.
func (w *Wording) ForDisplay() bool { return w.rank() <= 1 }

// rank orders texts of one language: those meant for display first.
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

// useName is the rank of texts that are not for display: names in full, definitions.
const useName = 3

// useRank is what the use of a text says for its rank.
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
