package valueset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

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
