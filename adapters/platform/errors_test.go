package platform

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/roget-health/roget/auth"
)

// TestErrors: Platform client, section 7: the hierarchy of errors, shared by all majors.
// Platform toolkit, section 2.5.
// Rows of docs/platform.md: 7.13.
func TestErrors(t *testing.T) {
	find := map[string]func(error) bool{
		"client":      as[ClientError],
		"api":         as[*APIError],
		"auth":        as[*AuthenticationError],
		"flow":        as[*auth.FlowError],
		"unsupported": as[*UnsupportedVersionError],
		"mismatch":    as[*VersionPinMismatchError],
		"lookup":      as[*LookupError],
	}
	for _, test := range []struct {
		err  error
		is   []string
		text string
	}{
		{newAPIError(Request{}, 409, nil), []string{"client", "api"}, "API error (409): Conflict"},
		{&AuthenticationError{Method: "GET", Path: "/api/me", Status: 401}, []string{"client", "auth"}, "authentication failed (401): GET /api/me"},
		{&auth.FlowError{Kind: auth.ErrDenied}, []string{"client", "flow"}, "OAuth2: authorization failed"},
		{&UnsupportedVersionError{Version: "2.40.1", Available: Majors(), why: "it is older than 41, end of life"}, []string{"client", "unsupported"}, `version "2.40.1" of the platform is not supported: it is older than 41, end of life; supported are v41, v42, v43`},
		{&VersionPinMismatchError{Pinned: 43, Reported: "2.42.4"}, []string{"client", "mismatch", "unsupported"}, `the client is pinned to v43, but the platform reports version "2.42.4"; correct the version, or leave it out`},
		{&LookupError{ErrRouteNotFound, "lab", nil}, []string{"lookup"}, `no route has this code: "lab"`},
		{&LookupError{ErrUnknownResource, "x", []string{"a", "b"}}, []string{"lookup"}, `unknown type of resource: "x"; did you mean a, b?`},
	} {
		wrapped := fmt.Errorf("outer: %w", test.err)
		for kind, as := range find {
			if got := as(wrapped); got != slices.Contains(test.is, kind) {
				t.Errorf("%T is %s: %v", test.err, kind, got)
			}
		}
		if test.err.Error() != test.text {
			t.Errorf("%q, want %q", test.err, test.text)
		}
	}
	kinds := []error{ErrRouteNotFound, ErrUserNotFound, ErrUnknownResource, ErrInstallTarget}
	for i, kind := range kinds {
		err := error(&LookupError{kind, "x", nil})
		for j, other := range kinds {
			if errors.Is(err, other) != (i == j) || !errors.Is(err, ErrLookup) {
				t.Errorf("%v is %v", kind, other)
			}
		}
	}
}

func as[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}
