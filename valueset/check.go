package valueset

import (
	"fmt"

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
			if inner, err := checkInclude(&list.includes[i]); err != nil {
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
