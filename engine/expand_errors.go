package engine

import (
	"errors"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/valueset"
)

// ErrTooCostly is returned by Expand for a value set with more codes than are given
// without a count; see WithDefaultCount.
var ErrTooCostly = errors.New("too many codes to list")

// ErrUnknownSupplement is returned when a request or value set demands a supplement
// that is not published, or not one of a code system that is used.
var ErrUnknownSupplement = errors.New("unknown supplement")

// expansionError returns the error of evaluating a value set the form a client is told it
// in. An error that has no such form is given as it is.
func (s *source) expansionError(err error) error {
	var (
		filter    *valueset.FilterError
		system    *valueset.SystemError
		valueSet  *valueset.ImportError
		processed OutcomeError
	)
	switch {
	case errors.As(err, &processed) && !errors.Is(err, ErrUnknownValueSet):
		return err
	case errors.As(err, &filter):
		return filterFailure(filter, err)
	case errors.Is(err, valueset.ErrImportCycle):
		return msgImportCycle.failure(statusUnprocessable, err, "", cycle(err)...)
	case errors.Is(err, ErrUnknownValueSet) && errors.As(err, &valueSet):
		return s.importUnknown(innermost(valueSet), err)
	case isUnknownSystem(err) && errors.As(err, &system):
		return s.systemUnknown(system, err)
	}
	return err
}

// filterFailure tells of a filter that cannot be evaluated. What is wrong with a value that
// is there is told as it is.
func filterFailure(e *valueset.FilterError, err error) error {
	f, at := &e.Filter, elementAt(err)
	switch {
	case f.Value == "":
		return msgFilterWithoutValue.failure(statusInvalid, err, at, e.System, f.Property, f.Op)
	case errors.Is(err, codesystem.ErrUnknownProperty), errors.Is(err, codesystem.ErrUnknownOperator):
		return msgFilterNotUnderstood.failure(statusUnprocessable, err, at, f.Property, f.Op, f.Value)
	case f.Op == "regex" && errors.Is(err, codesystem.ErrBadFilterValue):
		return msgInvalidRegex.failure(statusUnprocessable, err, at, f.Value, e.Err.Error())
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
func (s *source) importUnknown(e *valueset.ImportError, err error) error {
	url, version, _ := splitVersioned("valueSet", e.Canonical, "")
	if version = s.rules.chooseValueSet(url, version); version != "" {
		return msgUnknownPinnedImport.failure(statusUnprocessable, err, "", url, version)
	}
	return msgUnknownImport.failure(statusUnprocessable, err, "", url)
}

// systemUnknown tells of a code system, or a version of it, that is not there.
func (s *source) systemUnknown(e *valueset.SystemError, err error) error {
	version := s.rules.choose(e.System, e.Version)
	known := s.state.versions(e.System)
	switch {
	case version == "":
		return msgUnknownSystemExp.failure(statusUnprocessable, err, "", e.System)
	case len(known) == 0:
		return msgUnknownVersionExpNone.failure(statusUnprocessable, err, "", e.System, version)
	}
	return msgUnknownVersionExp.failure(statusUnprocessable, err, "", e.System, version, listed(known, "and"))
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
