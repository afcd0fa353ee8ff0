package catalog

import (
	"fmt"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/resources/r4"
)

// CanonicalURL returns a canonical without its version.
func CanonicalURL(canonical string) string {
	url, _, _ := strings.Cut(canonical, "|")
	return url
}

// SplitVersioned splits url|version. explicit is the version of a separate parameter; two
// different versions are an error. name is the parameter, for messages.
func SplitVersioned(name, canonical, explicit string) (url, version string, err error) {
	if strings.IndexByte(canonical, '|') < 0 && strings.IndexByte(canonical, '#') < 0 {
		return canonical, explicit, nil
	}
	url, version, ok := splitConstraint(canonical)
	if !ok {
		var fragment string
		url, version, fragment, err = r4.SplitCanonical(canonical)
		if err != nil {
			return "", "", &issue.ParameterError{Name: name, Problem: issue.ErrInvalidParameter, Cause: err}
		}
		if fragment != "" {
			// Some code systems have a # in their url (http://www.nlm.nih.gov/x#y).
			url += "#" + fragment
		}
	}
	if version == "" {
		version = explicit
	} else if explicit != "" && explicit != version {
		return "", "", issue.Invalid(name, fmt.Sprintf("%s and version %q contradict each other", canonical, explicit))
	}
	return url, version, nil
}

// ImplicitMark follows the code system in the URL of an implicit value set.
const ImplicitMark = "?fhir_vs"

// ConstraintMark precedes an expression constraint in the URL of an implicit value set.
const ConstraintMark = ImplicitMark + "=ecl/"

// splitConstraint splits url|version of the value set of an expression constraint. A constraint
// that is not percent-encoded may contain terms, each between two |. ok is false for other URLs.
func splitConstraint(canonical string) (url, version string, ok bool) {
	_, constraint, found := strings.Cut(canonical, ConstraintMark)
	if !found {
		return "", "", false
	}
	if bars := strings.Count(constraint, "|"); bars%2 == 0 {
		return canonical, "", true
	}
	bar := strings.LastIndexByte(canonical, '|')
	return canonical[:bar], canonical[bar+1:], true
}
