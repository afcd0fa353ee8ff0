package operation

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/closure"
	"github.com/roget-health/roget/engine/conceptmap"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/synth"
	"github.com/roget-health/roget/valueset"
)

// Exit codes of the terminal.
const (
	ExitYes     = 0 // the answer is yes
	ExitNo      = 1 // the answer is no: not a member, not found
	ExitUsage   = 2 // a bad or missing parameter
	ExitFailure = 3 // anything else
)

// A report is a row of the table of errors.
type report struct {
	is     error
	class  issue.Class
	exit   int
	code   string // issue-type
	detail string // tx-issue-type
}

// Short names of the classes, for the table.
const (
	internal      = issue.ClassInternal
	invalidClass  = issue.ClassInvalid
	notFound      = issue.ClassNotFound
	unprocessable = issue.ClassUnprocessable
	unavailable   = issue.ClassUnavailable
)

// reports maps errors to what a client sees. The first row whose error is in the chain applies. It
// is never modified.
var reports = [...]report{
	// Requests that are wrong.
	{engine.ErrMissingParameter, invalidClass, ExitUsage, "invalid", ""},
	{ErrUnknownParameter, invalidClass, ExitUsage, "invalid", ""},
	{ErrRepeatedParameter, invalidClass, ExitUsage, "invalid", ""},
	{engine.ErrInvalidParameter, invalidClass, ExitUsage, "invalid", ""},
	{engine.ErrNotSupported, invalidClass, ExitUsage, "not-supported", ""},
	{engine.ErrSystemsDiffer, invalidClass, ExitUsage, "invalid", "invalid-data"},
	{engine.ErrVersionCheck, unprocessable, ExitFailure, "exception", "version-error"},
	{r4.ErrCanonical, invalidClass, ExitUsage, "value", "invalid-data"},
	{synth.ErrOption, invalidClass, ExitUsage, "invalid", ""},

	// Things that a request names and that do not exist.
	{engine.ErrUnknownCode, notFound, ExitNo, "not-found", "invalid-code"},
	{engine.ErrUnknownCache, notFound, ExitFailure, "not-found", "cache-id-unknown"},
	{engine.ErrUnknownID, notFound, ExitFailure, "not-found", ""},
	{engine.ErrNoContent, unprocessable, ExitFailure, "not-supported", "not-found"}, // comes with ErrUnknownSystem
	{engine.ErrUnknownSystem, notFound, ExitFailure, "not-found", "not-found"},
	{engine.ErrUnknownVersion, notFound, ExitFailure, "not-found", "not-found"},
	{engine.ErrUnknownValueSet, notFound, ExitFailure, "not-found", "not-found"},
	{engine.ErrUnknownConceptMap, notFound, ExitFailure, "not-found", "not-found"},
	{engine.ErrAmbiguousSystem, invalidClass, ExitUsage, "invalid", "cannot-infer"},

	// Value sets that cannot be evaluated.
	{valueset.ErrImportCycle, unprocessable, ExitFailure, "processing", "vs-invalid"},
	{valueset.ErrImportDepth, unprocessable, ExitFailure, "too-costly", "vs-invalid"},
	{valueset.ErrInvalidCompose, unprocessable, ExitFailure, "invalid", "vs-invalid"},
	{codesystem.ErrUnknownProperty, unprocessable, ExitFailure, "invalid", "vs-invalid"},
	{codesystem.ErrUnknownOperator, unprocessable, ExitFailure, "not-supported", "vs-invalid"},
	{codesystem.ErrBadFilterValue, unprocessable, ExitFailure, "invalid", "vs-invalid"},
	{valueset.ErrUndecided, unprocessable, ExitFailure, "not-supported", "vs-invalid"},
	{codesystem.ErrNotSubsumptive, unprocessable, ExitFailure, "not-supported", "vs-invalid"},
	{codesystem.ErrUnknownCode, unprocessable, ExitFailure, "code-invalid", "vs-invalid"},

	// Closure tables.
	{closure.ErrBadName, invalidClass, ExitUsage, "invalid", ""},
	{closure.ErrNotInitialised, notFound, ExitFailure, "not-found", ""},
	{closure.ErrReinitialise, unprocessable, ExitFailure, "processing", ""},
	{closure.ErrTooLarge, issue.ClassTooLarge, ExitFailure, "too-costly", ""},

	// Concept maps that cannot be used.
	{conceptmap.ErrMapCycle, unprocessable, ExitFailure, "processing", ""},
	{conceptmap.ErrTooLarge, unprocessable, ExitFailure, "too-costly", ""},
	{conceptmap.ErrInvalid, unprocessable, ExitFailure, "invalid", ""},

	// Code systems that cannot be built.
	{codesystem.ErrTooLarge, unprocessable, ExitFailure, "too-costly", ""},
	{codesystem.ErrDuplicateCode, unprocessable, ExitFailure, "duplicate", ""},
	{codesystem.ErrEmptyCode, unprocessable, ExitFailure, "required", ""},
	{codesystem.ErrUnknownParent, unprocessable, ExitFailure, "code-invalid", ""},
	{codesystem.ErrCycle, unprocessable, ExitFailure, "business-rule", ""},
	{codesystem.ErrBadProperty, unprocessable, ExitFailure, "value", ""},
	{engine.ErrInvalidResource, unprocessable, ExitFailure, "invalid", ""},

	// Snapshots that cannot be opened.
	{codesystem.ErrForeign, internal, ExitFailure, "exception", ""},
	{codesystem.ErrSnapshotVersion, internal, ExitFailure, "exception", ""},
	{codesystem.ErrDamaged, internal, ExitFailure, "exception", ""},

	// Limits of the server, and time.
	{engine.ErrTooManyCaches, unavailable, ExitFailure, "throttled", ""},
	{context.DeadlineExceeded, unavailable, ExitFailure, "timeout", ""},
	{context.Canceled, unavailable, ExitFailure, "transient", ""},
}

// Outcome returns the class of an error and the OperationOutcome that reports it. An
// engine.OutcomeError supplies both. An error that is not in the table has the class
// issue.ClassInternal, and the outcome has an opaque id instead of its text: the caller logs the
// error together with the diagnostics, which contain the id.
func Outcome(err error) (issue.Class, *r4.OperationOutcome) {
	if own, ok := errors.AsType[engine.OutcomeError](err); ok {
		return own.Class(), &r4.OperationOutcome{Issue: own.Issues()}
	}
	p := problemOf(err)
	return p.Class, &r4.OperationOutcome{Issue: []r4.Issue{p.issue()}}
}

// ExitCode returns the exit code of the terminal for an error: ExitYes for nil, ExitNo for an
// unknown code, ExitUsage for a bad or missing parameter, else ExitFailure.
func ExitCode(err error) int {
	if err == nil {
		return ExitYes
	}
	return problemOf(err).Exit
}

// problemOf returns the Problem that reports err.
func problemOf(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	// A syntax error with the code invalid only adds a place to another error, which has a row: a
	// duplicate code, a concept without a code.
	syntax, isSyntax := errors.AsType[*r4.SyntaxError](err)
	if isSyntax && syntax.Code != "invalid" {
		return syntaxProblem(err, syntax)
	}
	for i := range reports {
		if row := &reports[i]; errors.Is(err, row.is) {
			return &Problem{
				Class: row.class, Exit: row.exit,
				Code: row.code, Detail: row.detail,
				Expression: expressionOf(err),
				Err:        err,
			}
		}
	}
	if isSyntax {
		return syntaxProblem(err, syntax)
	}
	if own, ok := errors.AsType[engine.OutcomeError](err); ok {
		return &Problem{Class: own.Class(), Exit: ExitFailure, Err: err}
	}
	return &Problem{
		Class: internal, Exit: ExitFailure,
		Severity: "fatal", Code: "exception",
		Text: "internal error " + rand.Text(),
	}
}

// syntaxProblem returns the Problem of malformed JSON.
func syntaxProblem(err error, syntax *r4.SyntaxError) *Problem {
	p := &Problem{
		Class: invalidClass, Exit: ExitFailure,
		Code: syntax.Code, Expression: syntax.Expression, Err: err,
	}
	if _, ok := errors.AsType[*engine.ParameterError](err); ok { // inside the value of a parameter
		p.Expression, p.Exit = expressionOf(err), ExitUsage
	}
	switch syntax.Code {
	case "":
		p.Code = "structure"
	case "too-long":
		p.Class = issue.ClassTooLarge
	}
	return p
}

// expressionOf returns the element at fault, "" if the error does not have it.
func expressionOf(err error) string {
	if parameter, ok := errors.AsType[*engine.ParameterError](err); ok && plainName(parameter.Name) {
		return "Parameters.parameter.where(name='" + parameter.Name + "')"
	}
	if inValueSet, ok := errors.AsType[*valueset.Error](err); ok {
		return inValueSet.Expression
	}
	if inMap, ok := errors.AsType[*conceptmap.Error](err); ok {
		return inMap.Expression
	}
	if syntax, ok := errors.AsType[*r4.SyntaxError](err); ok {
		return syntax.Expression
	}
	return ""
}

// plainName reports whether a name needs no quoting in an expression.
func plainName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
