package httpadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/patch"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
	"github.com/roget-health/roget/resources/search"
	"github.com/roget-health/roget/resources/validate"
)

// fail responds with the OperationOutcome of an error. Errors of the server itself are logged with
// the request id that the client receives, and requests without memory or index as warnings.
func (c *call) fail(err error) {
	if a, part := c.w.(*entryResponse); part {
		a.err = err
	}
	if c.converted {
		err = unplaced(err)
	}
	status, outcome := outcome(c.h.known(err))
	if status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		level := slog.LevelError
		if errors.Is(err, budget.ErrBusy) || errors.Is(err, resources.ErrIndexing) {
			level = slog.LevelWarn
		}
		c.h.Logger.LogAttrs(c.r.Context(), level, "request failed",
			slog.String("id", requestID(c.w)),
			slog.String("action", c.label.action),
			slog.String("type", c.label.typ),
			slog.Int("status", status),
			slog.String("shown", outcome.Issue[0].Diagnostics),
			slog.Any("err", err))
	}
	switch {
	case status == http.StatusMethodNotAllowed && errors.Is(err, resources.ErrReadOnly):
		c.w.Header().Set("Allow", "GET, HEAD")
	case status == http.StatusServiceUnavailable:
		c.w.Header().Set("Retry-After", "5")
	case status == http.StatusForbidden && errors.Is(err, access.ErrForbidden):
		c.challengeScope(err)
	}
	c.responseBody = outcome.AppendJSON(c.responseBody[:0])
	c.fhir(status, c.responseBody)
}

// knownErrors maps errors of the store and of reading to a status and an issue code. It is never
// modified.
var knownErrors = [...]struct {
	is     error
	status int
	code   string
}{
	{resources.ErrGone, http.StatusGone, "deleted"},
	{resources.ErrNotFound, http.StatusNotFound, "not-found"},
	{resources.ErrConflict, http.StatusPreconditionFailed, "conflict"},
	{resources.ErrInUse, http.StatusConflict, "conflict"},
	{resources.ErrUnknownType, http.StatusNotFound, "not-supported"},
	{resources.ErrBadID, http.StatusBadRequest, "value"},
	{resources.ErrTypeMismatch, http.StatusBadRequest, "invalid"},
	{resources.ErrIDMismatch, http.StatusBadRequest, "invalid"},
	{resources.ErrAppendOnly, http.StatusMethodNotAllowed, "not-supported"},
	{resources.ErrReadOnly, http.StatusMethodNotAllowed, "not-supported"},
	{resources.ErrNoHistory, http.StatusNotImplemented, "not-supported"},
	{resources.ErrNotSearchable, http.StatusNotImplemented, "not-supported"},
	{resources.ErrMultipleMatches, http.StatusPreconditionFailed, "multiple-matches"},
	{resources.ErrNoMatch, http.StatusNotFound, "not-found"},
	{resources.ErrBundle, http.StatusBadRequest, "structure"},
	{r5.ErrUnsupportedType, http.StatusUnprocessableEntity, "not-supported"},
	{r5.ErrUnknownElement, http.StatusBadRequest, "structure"},
	{r5.ErrStructure, http.StatusBadRequest, "structure"},
	{r5.ErrNoPlace, http.StatusUnprocessableEntity, "not-supported"},
	{resources.ErrBadCursor, http.StatusBadRequest, "value"},
	{patch.ErrMalformed, http.StatusBadRequest, "structure"},
	{patch.ErrTest, http.StatusConflict, "conflict"},
	{patch.ErrPath, http.StatusUnprocessableEntity, "processing"},
	{budget.ErrBusy, http.StatusServiceUnavailable, "throttled"},
	{budget.ErrTooLarge, http.StatusUnprocessableEntity, "too-costly"},
	{resources.ErrClosed, http.StatusServiceUnavailable, "transient"},
	{access.ErrForbidden, http.StatusForbidden, "forbidden"},
	{access.ErrUnavailable, http.StatusServiceUnavailable, "transient"},
	{resources.ErrUpgraded, http.StatusServiceUnavailable, "transient"},
	{resources.ErrIndexing, http.StatusServiceUnavailable, "transient"},
	{index.ErrTooManyValues, http.StatusUnprocessableEntity, "too-costly"},
	{index.ErrForgotten, http.StatusServiceUnavailable, "transient"},
	{index.ErrTooMany, http.StatusUnprocessableEntity, "too-costly"},
	{io.ErrUnexpectedEOF, http.StatusBadRequest, "structure"},
}

// known translates errors of the store, of searches and of HTTP, which the operation table does not
// know. Other errors are returned unchanged.
func (h *Handler) known(err error) error {
	if entry, ok := errors.AsType[*resources.EntryError](err); ok {
		return h.entryFailed(entry)
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return bodyTooLarge(large.Limit)
	}
	if errors.Is(err, resources.ErrDamaged) {
		return withStatus(http.StatusInternalServerError, operation.Problem{
			Exit: operation.ExitFailure, Severity: "fatal", Code: "exception",
			Text: "the stored data is damaged and not returned; the server log has the details under the id of this request", Err: err,
		})
	}
	for _, is := range [...]error{resources.ErrReadOnly, resources.ErrUpgraded} {
		if errors.Is(err, is) {
			err = is // whatever the database said
		}
	}
	if errors.Is(err, resources.ErrUnavailable) && !errors.Is(err, resources.ErrStoreFailed) {
		return withStatus(http.StatusServiceUnavailable, operation.Problem{
			Exit: operation.ExitFailure, Code: "no-store",
			Text: "the resource store is unavailable; the server log has the cause under the id of this request", Err: err,
		})
	}
	if errors.Is(err, resources.ErrStoreFailed) {
		return withStatus(http.StatusServiceUnavailable, operation.Problem{
			Exit: operation.ExitFailure, Severity: "fatal", Code: "no-store",
			Text: "the resource store failed and the change was not confirmed; the server log has the cause under the id of this request", Err: err,
		})
	}
	if invalid, ok := errors.AsType[*validate.Invalid](err); ok {
		return invalidDocument{invalid}
	}
	if parameter, ok := errors.AsType[*search.Error](err); ok {
		p := operation.Problem{Exit: operation.ExitUsage, Code: "value", Err: err}
		if parameter.Unknown {
			p.Code = "not-supported"
		}
		if parameter.Param.Name != "" {
			p.Expression = "http." + cut(parameter.Param.Name)
		}
		return withStatus(http.StatusBadRequest, p)
	}
	for i := range knownErrors {
		if row := &knownErrors[i]; errors.Is(err, row.is) {
			return withStatus(row.status, operation.Problem{Exit: operation.ExitFailure, Code: row.code, Err: err})
		}
	}
	return err
}

// refuse responds with an error of HTTP itself.
func (c *call) refuse(status int, code, format string, args ...any) {
	c.fail(problem(status, code, format, args...))
}

// refuseRequest responds to a request that does not reach a route.
func (h *Handler) refuseRequest(w http.ResponseWriter, r *http.Request, err error) {
	h.handle(root(), label{action: "refuse"}, func(c *call) { c.fail(err) })(w, r, nil)
}

// problem returns an error of HTTP itself.
func problem(status int, code, format string, args ...any) error {
	return withStatus(status, operation.Problem{Exit: operation.ExitUsage, Code: code, Text: fmt.Sprintf(format, args...)})
}

func bodyTooLarge(limit int64) error {
	return withStatus(http.StatusRequestEntityTooLarge, operation.Problem{
		Code: "too-long",
		Text: fmt.Sprintf("the body exceeds this server's limit of %d bytes", limit),
	})
}

func (c *call) urlTooLong(length int) {
	c.refuse(http.StatusRequestURITooLong, "too-long",
		"the URL has %d bytes and exceeds this server's limit of %d; send the parameters in the body of a POST", length, c.h.Limits.MaxURL)
}

// recovered responds to a request whose handler panicked.
func (h *Handler) recovered(w http.ResponseWriter, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // compared as net/http does
		panic(cause)
	}
	h.Logger.LogAttrs(r.Context(), slog.LevelError, "panic",
		slog.String("id", requestID(w)), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
	handle := h.handle(root(), label{action: "panic"}, func(c *call) {
		c.fail(withStatus(http.StatusInternalServerError, operation.Problem{
			Severity: "fatal", Code: "exception",
			Text: "internal server error in request " + requestID(w),
		}))
	})
	handle(w, r, nil)
}

// invalidDocument is the error of a resource that is not valid R4, with all its problems.
type invalidDocument struct{ *validate.Invalid }

var _ engine.OutcomeError = invalidDocument{}

// Class returns ClassInvalid if only the structure of the resource is wrong, else ClassUnprocessable.
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
