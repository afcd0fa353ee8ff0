package valueset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// Check applies the rules of R4 that a compose must follow by itself, whatever code
// systems and value sets there are. The error is an *Error that wraps ErrInvalidCompose.
func Check(vs *r4.ValueSet) error {
	if vs.Compose == nil {
		return nil
	}
	if len(vs.Compose.Include) == 0 {
		return &Error{
			ValueSet: canonicalOf(&vs.Header), Expression: "ValueSet.compose.include",
			Err: fmt.Errorf("%w: it includes nothing", ErrInvalidCompose),
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

// checkOperators reports a filter with an operator that R4 and R5 do not have. It is not
// among the rules that compiling applies, which tells of the filter when it gets there.
func checkOperators(inc *r4.Include) (element string, err error) {
	if len(inc.Filter) == 0 {
		return "", nil
	}
	known := codesystem.FilterOperators()
	for i := range inc.Filter {
		if op := inc.Filter[i].Op; !slices.Contains(known, op) {
			return elementOf("filter", i, "op"), fmt.Errorf("%w: %.40q is none of %s", ErrInvalidCompose, op, strings.Join(known, ", "))
		}
	}
	return "", nil
}
