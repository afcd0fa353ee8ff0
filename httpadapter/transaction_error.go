package httpadapter

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/r4"
)

// failedEntry is the failure of a transaction, as a client sees it: what is wrong with one
// of its entries, whose place the expressions begin with.
type failedEntry struct {
	error
	class  issue.Class
	status int
	issues []r4.Issue
}

// Status is that of the entry, but for what is not there: the path of the transaction is.
func (e *failedEntry) Status() int {
	switch {
	case e.status != http.StatusNotFound && e.status != http.StatusGone:
		return e.status
	case errors.Is(e.error, resources.ErrUnknownType):
		return http.StatusBadRequest
	}
	return http.StatusPreconditionFailed
}

// Class is that of the entry.
func (e *failedEntry) Class() issue.Class { return e.class }

// Issues returns what is wrong.
func (e *failedEntry) Issues() []r4.Issue { return e.issues }

// entryFailed makes the error of an entry one of the whole transaction. One of this server
// stays what it is.
func (h *Handler) entryFailed(err *resources.EntryError) error {
	cause := h.known(err.Err)
	if errors.Is(err.Err, resources.ErrStoreFailed) {
		return cause
	}
	class, outcome := operation.Outcome(cause)
	status := statusFor(cause, class)
	if status >= http.StatusInternalServerError && status != http.StatusNotImplemented {
		return cause
	}
	place := err.Expression()
	issues := slices.Clone(outcome.Issue)
	for i := range issues {
		is := &issues[i]
		is.Diagnostics = place + ": " + is.Diagnostics
		is.Expression = []string{within(place, is.Expression)}
	}
	return &failedEntry{err, class, status, issues}
}

// within returns an expression about an entry: that of its resource where the element at
// fault is known, else that of the entry.
func within(place string, expression []string) string {
	if len(expression) > 0 && strings.HasPrefix(expression[0], place) {
		return expression[0]
	}
	if len(expression) == 0 || strings.HasPrefix(expression[0], "http.") {
		return place
	}
	typ, path, nested := strings.Cut(expression[0], ".")
	if typ == "" || typ[0] < 'A' || typ[0] > 'Z' || typ == "Bundle" {
		return place
	}
	if !nested {
		return place + ".resource"
	}
	return place + ".resource." + path
}
