package search_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/roget-health/roget/resources/search"
)

// TestErrorCause checks that an Error wraps its cause and mentions it once.
func TestErrorCause(t *testing.T) {
	err := error(&search.Error{Param: search.Param{Name: "code:in", Value: "http://x"}, Text: fs.ErrNotExist.Error(), Cause: fs.ErrNotExist})
	if !errors.Is(err, search.ErrParameter) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not what it is", err)
	}
	if want := "search parameter code:in=http://x: file does not exist"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
