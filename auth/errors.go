package auth

import (
	"errors"
	"fmt"
	"strings"
)

// ClientError is the base of the errors of a client of the platform: this package's
// FlowError, and those of the client itself. Platform toolkit, section 2.5.
type ClientError interface {
	error
	PlatformClientError()
}

// ErrNotImplemented reports whether a builder does not know a kind of authentication.
var ErrNotImplemented = errors.New("not implemented here")

// FieldError tells of a field of a provider or profile that is missing or wrong.
type FieldError struct {
	Field string // as profiles spell it: client_secret
	Err   error
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }
func (e *FieldError) Unwrap() error { return e.Err }

// What a FlowError may be, for errors.Is.
var (
	ErrDenied        = errors.New("authorization failed")
	ErrStateMismatch = errors.New("state mismatch")
	ErrNoCode        = errors.New("no authorization code")
	ErrNoRedirect    = errors.New("no redirect")
	ErrBadRedirect   = errors.New("the redirect cannot be read")
	ErrListen        = errors.New("cannot listen for the redirect")
	ErrToken         = errors.New("the token endpoint refused")
	ErrDiscovery     = errors.New("the authorization server is not ready")
	ErrLoginNeeded   = errors.New("a login is needed")
)

// FlowError tells why an OAuth2 flow or the refresh of a token failed. It never has what
// was sent. Platform toolkit, section 1.6.4.
type FlowError struct {
	Kind   error  // one of the errors above
	Status int    // HTTP status of an answer, 0 where there was none
	Code   string // error code of RFC 6749, section 5.2 or 4.1.2.1: invalid_client
	Detail string // for people
	Err    error  // what lies beneath, such as an error of the network; may be nil
}

func (e *FlowError) Error() string {
	what := e.Kind.Error()
	if e.Status != 0 {
		what = fmt.Sprintf("%s with status %d", what, e.Status)
	}
	if strings.HasPrefix(e.Detail, what) {
		what = ""
	}
	parts := []string{"OAuth2"}
	for _, part := range []string{what, e.Code, e.Detail} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the kind and what lies beneath.
func (e *FlowError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// PlatformClientError marks the error as one of the client's.
func (e *FlowError) PlatformClientError() {}
