package expansion

import (
	"errors"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/catalog"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/resolve"
	"github.com/roget-health/roget/valueset"
)

// ClientError returns the error of evaluating a value set the form a client is told it
// in. An error that has no such form is given as it is.
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

// filterFailure tells of a filter that cannot be evaluated. What is wrong with a value that
// is there is told as it is.
func filterFailure(e *valueset.FilterError, err error) error {
	f, at := &e.Filter, elementAt(err)
	switch {
	case f.Value == "":
		return issue.FilterWithoutValue.Failure(issue.ClassInvalid, err, at, e.System, f.Property, f.Op)
	case errors.Is(err, codesystem.ErrUnknownProperty), errors.Is(err, codesystem.ErrUnknownOperator):
		return issue.FilterNotUnderstood.Failure(issue.ClassUnprocessable, err, at, f.Property, f.Op, f.Value)
	case f.Op == "regex" && errors.Is(err, codesystem.ErrBadFilterValue):
		return issue.InvalidRegex.Failure(issue.ClassUnprocessable, err, at, f.Value, e.Err.Error())
	}
	return err
}

// cycle returns the value set that a circle of imports comes back to, and the way there.
func cycle(err error) []string {
	var e *valueset.ImportError
	if !errors.As(err, &e) {
		return []string{"", err.Error()}
	}
	return []string{innermost(e).Canonical, err.Error()}
}

// importUnknown tells of a value set that is not there.
func importUnknown(s *resolve.Source, e *valueset.ImportError, err error) error {
	url, version, _ := catalog.SplitVersioned("valueSet", e.Canonical, "")
	if version = s.ValueSetVersion(url, version); version != "" {
		return issue.UnknownPinnedImport.Failure(issue.ClassUnprocessable, err, "", url, version)
	}
	return issue.UnknownImport.Failure(issue.ClassUnprocessable, err, "", url)
}

// systemUnknown tells of a code system, or a version of it, that is not there.
func systemUnknown(s *resolve.Source, e *valueset.SystemError, err error) error {
	version := s.Version(e.System, e.Version)
	known := s.State.Versions(e.System)
	switch {
	case version == "":
		return issue.UnknownSystemExp.Failure(issue.ClassUnprocessable, err, "", e.System)
	case len(known) == 0:
		return issue.UnknownVersionExpNone.Failure(issue.ClassUnprocessable, err, "", e.System, version)
	}
	return issue.UnknownVersionExp.Failure(issue.ClassUnprocessable, err, "", e.System, version, issue.Enumerate(known, "and"))
}

// innermost returns the import that failed itself, of imports that lead to it.
func innermost(e *valueset.ImportError) *valueset.ImportError {
	for {
		var inner *valueset.ImportError
		if !errors.As(e.Err, &inner) {
			return e
		}
		e = inner
	}
}

// elementAt returns the element that an error is about, in the value set it is about.
func elementAt(err error) string {
	expression := ""
	for e := (*valueset.Error)(nil); errors.As(err, &e); err = e.Err {
		expression = e.Expression
	}
	return expression
}
