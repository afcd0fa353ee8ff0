package httpadapter

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// TestStatus checks that a class has its status, and that a problem of this edge keeps its own.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{engine.ErrInvalidParameter, http.StatusBadRequest},
		{engine.ErrUnknownCode, http.StatusNotFound},
		{engine.ErrInvalidResource, http.StatusUnprocessableEntity},
		{errors.New("nobody foresaw this"), http.StatusInternalServerError},
		{withStatus(http.StatusGone, operation.Problem{Code: "deleted", Text: "gone"}), http.StatusGone},
	} {
		if got, _ := outcome(fmt.Errorf("wrapped: %w", tt.err)); got != tt.want {
			t.Errorf("%v: status %d, want %d", tt.err, got, tt.want)
		}
	}
	_, oo := outcome(withStatus(http.StatusGone, operation.Problem{Code: "deleted", Text: "gone"}))
	if i := oo.Issue[0]; i.Code != "deleted" || i.Diagnostics != "gone" {
		t.Errorf("issue %+v", i)
	}
}
