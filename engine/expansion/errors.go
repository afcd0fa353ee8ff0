package expansion

import (
	"errors"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/valueset"
)

// ClientError returns the OutcomeError for an error of evaluating a value set. An error without
// such a form is returned unchanged.
func ClientError(s *resolve.Source, err error) error {
	var (
		filter    *valueset.FilterError
		system    *valueset.SystemError
		valueSet  *valueset.ImportError
		processed issue.OutcomeError
	)
	switch {
	case errors.As(err, &processed) && !errors.Is(err, issue.ErrUnknownValueSet):
		return err
	case errors.As(err, &filter):
		return filterFailure(filter, err)
	case errors.Is(err, valueset.ErrImportCycle):
		return issue.ImportCycle.Failure(issue.ClassUnprocessable, err, "", cycle(err)...)
	case errors.Is(err, issue.ErrUnknownValueSet) && errors.As(err, &valueSet):
		return importUnknown(s, innermost(valueSet), err)
	case resolve.IsUnknownSystem(err) && errors.As(err, &system):
		return systemUnknown(s, system, err)
	}
	return err
}

// filterFailure returns the error of a filter that cannot be evaluated. An error about its value
// is returned unchanged.
func filterFailure(e *valueset.FilterError, err error) error {
	f, at := &e.Filter, elementAt(err)
	var constraint *valueset.ConstraintError
	switch {
	case f.Value == "":
		return issue.FilterWithoutValue.Failure(issue.ClassInvalid, err, at, e.System, f.Property, f.Op)
	case errors.As(err, &constraint):
		return issue.InvalidConstraint.Failure(issue.ClassUnprocessable, err, "", constraint.Expression, constraint.Reason)
	case errors.Is(err, codesystem.ErrUnknownCode):
		return issue.FilterCodeUnknown.Failure(issue.ClassUnprocessable, err, at, f.Property, f.Op, f.Value, r4.JoinCanonical(e.System, e.Version))
	case errors.Is(err, codesystem.ErrUnknownProperty), errors.Is(err, codesystem.ErrUnknownOperator):
		return issue.FilterNotUnderstood.Failure(issue.ClassUnprocessable, err, at, f.Property, f.Op, f.Value)
	case f.Op == "regex" && errors.Is(err, codesystem.ErrBadFilterValue):
		return issue.InvalidRegex.Failure(issue.ClassUnprocessable, err, at, f.Value, e.Err.Error())
	}
	return err
}

// cycle returns the value set that closes a circle of imports, and the path.
func cycle(err error) []string {
	var e *valueset.ImportError
	if !errors.As(err, &e) {
		return []string{"", err.Error()}
	}
	return []string{innermost(e).Canonical, err.Error()}
}

// importUnknown returns the error of an unknown value set.
func importUnknown(s *resolve.Source, e *valueset.ImportError, err error) error {
	url, version, _ := catalog.SplitVersioned("valueSet", e.Canonical, "")
	if version = s.Rules.ChooseValueSet(url, version); version != "" {
		return issue.UnknownPinnedImport.Failure(issue.ClassUnprocessable, err, "", url, version)
	}
	return issue.UnknownImport.Failure(issue.ClassUnprocessable, err, "", url)
}

// systemUnknown returns the error of an unknown code system or version.
func systemUnknown(s *resolve.Source, e *valueset.SystemError, err error) error {
	version := s.Rules.Choose(e.System, e.Version)
	known := s.State.Versions(e.System)
	switch {
	case version == "":
		return issue.UnknownSystemExp.Failure(issue.ClassUnprocessable, err, "", e.System)
	case len(known) == 0:
		return issue.UnknownVersionExpNone.Failure(issue.ClassUnprocessable, err, "", e.System, version)
	}
	return issue.UnknownVersionExp.Failure(issue.ClassUnprocessable, err, "", e.System, version, issue.Enumerate(known, "and"))
}

// innermost returns the import that caused a chain of failed imports.
func innermost(e *valueset.ImportError) *valueset.ImportError {
	for {
		var inner *valueset.ImportError
		if !errors.As(e.Err, &inner) {
			return e
		}
		e = inner
	}
}

// elementAt returns the expression of the element at fault, in its value set.
func elementAt(err error) string {
	expression := ""
	for e := (*valueset.Error)(nil); errors.As(err, &e); err = e.Err {
		expression = e.Expression
	}
	return expression
}
