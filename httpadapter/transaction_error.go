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

// failedEntry is the error of a transaction that one of its entries caused. The expressions of its
// issues begin with the path of that entry.
type failedEntry struct {
	error
	class  issue.Class
	status int
	issues []r4.Issue
}

// Status returns the status of the entry. A missing resource is not a 404 or 410, because the path
// of the transaction itself exists.
func (e *failedEntry) Status() int {
	switch {
	case e.status != http.StatusNotFound && e.status != http.StatusGone:
		return e.status
	case errors.Is(e.error, resources.ErrUnknownType):
		return http.StatusBadRequest
	}
	return http.StatusPreconditionFailed
}

// Class returns the class of the entry's error.
func (e *failedEntry) Class() issue.Class { return e.class }

// Issues returns the issues of the entry.
func (e *failedEntry) Issues() []r4.Issue { return e.issues }

// entryFailed turns the error of an entry into that of the whole transaction. An error of the
// server itself is returned unchanged.
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

// within returns the path of the element at fault inside the entry at place, or place itself if
// the element is unknown.
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
