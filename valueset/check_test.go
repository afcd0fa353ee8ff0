package valueset

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// TestCheckOperators checks that a value set is refused for an unknown operator, and for no
// other.
func TestCheckOperators(t *testing.T) {
	with := func(op string) error {
		return Check(valueSet("http://vs", r4.Compose{
			Include: []r4.Include{{System: "http://s"}},
			Exclude: []r4.Include{{System: "http://s", Filter: []r4.Filter{{Property: "p", Op: op, Value: "v"}}}},
		}))
	}
	for _, op := range codesystem.FilterOperators() {
		if err := with(op); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
	err := with("starts-with")
	var at *Error
	if !errors.Is(err, ErrInvalidCompose) || !errors.As(err, &at) || at.Expression != "ValueSet.compose.exclude[0].filter[0].op" || !strings.Contains(err.Error(), "descendent-of") {
		t.Errorf("starts-with: %v", err)
	}
}
