package httpadapter

import (
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// invalidDocument is a document that is not what R4 asks of it, as a client sees it: all
// its problems.
type invalidDocument struct{ *validate.Invalid }

var _ engine.OutcomeError = invalidDocument{}

// Class is ClassInvalid when only the structure of the document is wrong, and
// ClassUnprocessable when anything else is.
func (e invalidDocument) Class() issue.Class {
	for _, found := range e.Invalid.Issues {
		if found.Severity == validate.Error && found.Code != validate.CodeStructure {
			return issue.ClassUnprocessable
		}
	}
	return issue.ClassInvalid
}

// Issues returns the problems.
func (e invalidDocument) Issues() []r4.Issue {
	issues := make([]r4.Issue, len(e.Invalid.Issues))
	for i, issue := range e.Invalid.Issues {
		issues[i] = issue.R4()
	}
	return issues
}
