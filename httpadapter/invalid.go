package httpadapter

import (
	"net/http"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/validate"
)

// invalidDocument is a document that is not what R4 asks of it, as a client sees it: all
// its problems.
type invalidDocument struct{ *validate.Invalid }

var _ engine.OutcomeError = invalidDocument{}

// Status returns 400 when the document has not the form of its type, 422 when it has and
// something else is wrong.
func (e invalidDocument) Status() int {
	for _, issue := range e.Invalid.Issues {
		if issue.Severity == validate.Error && issue.Code != validate.CodeStructure {
			return http.StatusUnprocessableEntity
		}
	}
	return http.StatusBadRequest
}

// Issues returns the problems.
func (e invalidDocument) Issues() []r4.Issue {
	issues := make([]r4.Issue, len(e.Invalid.Issues))
	for i, issue := range e.Invalid.Issues {
		issues[i] = issue.R4()
	}
	return issues
}
