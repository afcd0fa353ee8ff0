package httpadapter

import (
	"errors"
	"net/http"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// statusOf maps the class of a failure to its HTTP status.
var statusOf = [...]int{
	issue.ClassInternal:      http.StatusInternalServerError,
	issue.ClassInvalid:       http.StatusBadRequest,
	issue.ClassNotFound:      http.StatusNotFound,
	issue.ClassUnprocessable: http.StatusUnprocessableEntity,
	issue.ClassTooLarge:      http.StatusRequestEntityTooLarge,
	issue.ClassUnavailable:   http.StatusServiceUnavailable,
}

// statusError is a problem with a status that does not follow from its class.
type statusError struct {
	status  int
	problem operation.Problem
}

// withStatus returns the error of a problem with the given HTTP status.
func withStatus(status int, p operation.Problem) error {
	return &statusError{status: status, problem: p}
}

// Error returns the text of the problem.
func (e *statusError) Error() string { return e.problem.Error() }

// Unwrap returns the problem.
func (e *statusError) Unwrap() error { return &e.problem }

// Status returns the HTTP status.
func (e *statusError) Status() int { return e.status }

// outcome returns the HTTP status and the OperationOutcome of an error.
func outcome(err error) (status int, oo *r4.OperationOutcome) {
	class, oo := operation.Outcome(err)
	return statusFor(err, class), oo
}

// statusFor returns the status of err if it has one, else that of its class.
func statusFor(err error, class issue.Class) int {
	own, ok := errors.AsType[interface {
		error
		Status() int
	}](err)
	if ok {
		return own.Status()
	}
	return statusOf[class]
}
