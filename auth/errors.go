package auth

import (
	"errors"
	"fmt"
	"strings"
)

// A ClientError is an error of the platform client: a FlowError of this package, or an error of
// package adapters/platform. Platform toolkit, section 2.5.
type ClientError interface {
	error
	PlatformClientError()
}

// ErrNotImplemented is returned by a builder that does not support a kind of authentication.
var ErrNotImplemented = errors.New("not implemented here")

// A FieldError is an error in a field of a provider or profile.
type FieldError struct {
	Field string // as in the profile file: client_secret
	Err   error
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// Kinds of FlowError, for errors.Is.
var (
	ErrDenied        = errors.New("authorization failed")
	ErrStateMismatch = errors.New("state mismatch")
	ErrNoCode        = errors.New("no authorization code")
	ErrNoRedirect    = errors.New("no redirect")
	ErrBadRedirect   = errors.New("the redirect is malformed")
	ErrListen        = errors.New("cannot listen for the redirect")
	ErrToken         = errors.New("the token endpoint refused")
	ErrDiscovery     = errors.New("the authorization server is not ready")
	ErrLoginNeeded   = errors.New("login required")
	ErrUnavailable   = errors.New("the authorization server is unavailable")
)

// A FlowError is a failed OAuth2 flow or a failed refresh. It never contains a value that was sent.
// Platform toolkit, section 1.6.4.
type FlowError struct {
	Kind   error  // one of the errors above
	Status int    // HTTP status of the response, 0 without a response
	Code   string // error code of RFC 6749, section 5.2 or 4.1.2.1: invalid_client
	Detail string // text for the user
	Err    error  // cause, such as a network error; may be nil
}

func (e *FlowError) Error() string {
	kind := e.Kind.Error()
	if e.Status != 0 {
		kind = fmt.Sprintf("%s with status %d", kind, e.Status)
	}
	if strings.HasPrefix(e.Detail, kind) {
		kind = ""
	}
	parts := []string{"OAuth2"}
	for _, part := range []string{kind, e.Code, e.Detail} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the kind and the cause.
func (e *FlowError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// PlatformClientError marks e as a ClientError.
func (e *FlowError) PlatformClientError() {}
