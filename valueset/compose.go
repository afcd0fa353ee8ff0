package valueset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Merges reports whether a compose treats the versions of a code system as one: if its parameter
// versionsMatch is true or, without the parameter, if it excludes one version of a system from
// another, which would have no effect otherwise.
func Merges(compose *r4.Compose) bool {
	for _, p := range Parameters(compose) {
		if p.Name == versionsMatch {
			return p.Value.Text == "true"
		}
	}
	if len(compose.Include) == 0 || len(compose.Exclude) == 0 {
		return false
	}
	system := compose.Include[0].System
	included := map[string]bool{}
	for i := range compose.Include {
		inc := &compose.Include[i]
		if inc.System != system || inc.Version == "" {
			return false
		}
		included[inc.Version] = true
	}
	for i := range compose.Exclude {
		exc := &compose.Exclude[i]
		if exc.System != system || exc.Version == "" || included[exc.Version] {
			return false
		}
	}
	return system != ""
}

// namesSeveralVersions reports whether a compose names a system in different versions.
func namesSeveralVersions(compose *r4.Compose) bool {
	if len(compose.Include)+len(compose.Exclude) < 2 {
		return false
	}
	named := map[string]string{}
	for _, list := range [][]r4.Include{compose.Include, compose.Exclude} {
		for i := range list {
			inc := &list[i]
			if v, ok := named[inc.System]; ok && v != inc.Version {
				return true
			}
			named[inc.System] = inc.Version
		}
	}
	return false
}

// hasNoHierarchy reports whether a part of the compose lists codes, imports value sets or has
// several filters, and so has no hierarchy.
func hasNoHierarchy(compose *r4.Compose) bool {
	for _, list := range [][]r4.Include{compose.Include, compose.Exclude} {
		for i := range list {
			if inc := &list[i]; len(inc.ValueSet) > 0 || len(inc.Concept) > 0 || len(inc.Filter) > 1 {
				return true
			}
		}
	}
	return false
}

// hasFilters reports whether a compose includes codes by filters.
func hasFilters(compose *r4.Compose) bool {
	return slices.ContainsFunc(compose.Include, func(inc r4.Include) bool { return len(inc.Filter) > 0 })
}

// Check applies the rules of R4 that do not depend on other resources to a compose. The error is
// an *Error that wraps ErrInvalidCompose.
func Check(vs *r4.ValueSet) error {
	if vs.Compose == nil {
		return nil
	}
	if len(vs.Compose.Include) == 0 {
		return &Error{
			ValueSet: canonicalOf(&vs.Header), Expression: "ValueSet.compose.include",
			Err: fmt.Errorf("%w: there must be at least one include", ErrInvalidCompose),
		}
	}
	for _, list := range []struct {
		name     string
		includes []r4.Include
	}{{"include", vs.Compose.Include}, {"exclude", vs.Compose.Exclude}} {
		for i := range list.includes {
			inner, err := checkInclude(&list.includes[i])
			if err == nil {
				inner, err = checkOperators(&list.includes[i])
			}
			if err != nil {
				return &Error{
					ValueSet:   canonicalOf(&vs.Header),
					Expression: elementOf("ValueSet.compose."+list.name, i, inner),
					Err:        err,
				}
			}
		}
	}
	return nil
}

// checkOperators reports a filter operator that neither R4 nor R5 defines. It is separate from
// checkInclude because compiling reports such a filter itself.
func checkOperators(inc *r4.Include) (element string, err error) {
	if len(inc.Filter) == 0 {
		return "", nil
	}
	known := codesystem.FilterOperators()
	for i := range inc.Filter {
		if op := inc.Filter[i].Op; !slices.Contains(known, op) {
			return elementOf("filter", i, "op"), fmt.Errorf("%w: %.40q is not one of %s", ErrInvalidCompose, op, strings.Join(known, ", "))
		}
	}
	return "", nil
}
