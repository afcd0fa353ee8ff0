package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/roget-health/roget/auth"
)

// ClientError is the interface of the errors below and of auth.FlowError, but not of LookupError.
// Platform toolkit, section 2.5.
type ClientError = auth.ClientError

// ErrNotBound is returned when a client made by New without a pin is asked for its major.
var ErrNotBound = errors.New("the client is not bound to a version of the platform; use Connect, or pin a major")

// An APIError is a response of the platform with a status of 400 or more other than 401, or a redirect
// that does not lead to the login page.
type APIError struct {
	Method, Path string // without the query
	Status       int
	Message      string // reason phrase of the status
	// Body is the body of the response, with the credentials that were sent masked. A body that is
	// not JSON is cut after 64 KiB.
	Body []byte

	detail string // replaces the text of the body
	hint   string
}

// Hint returns what to do, or "" if that is not known.
func (e *APIError) Hint() string { return e.hint }

// Error returns one line: API error (404): Not Found: Namespace not found: 'none'
func (e *APIError) Error() string {
	text := fmt.Sprintf("API error (%d): %s", e.Status, e.Message)
	if detail := e.Detail(); detail != "" {
		text += ": " + detail
	}
	return text
}

// maxDetail limits the characters of a body in an error.
const maxDetail = 400

// Detail returns the platform's description of the error in one line of at most 400 characters: the
// message of its envelope, or else the text of the body.
func (e *APIError) Detail() string {
	if e.detail != "" {
		return e.detail
	}
	if message := e.WebMessage(); message != nil && message.Message != "" {
		return auth.Printable(message.Message, maxDetail)
	}
	return bodyText(e.Body)
}

// PlatformClientError marks e as a ClientError.
func (e *APIError) PlatformClientError() {}

// statusOf returns the status of an APIError, 0 for other errors.
func statusOf(err error) int {
	if api, ok := errors.AsType[*APIError](err); ok {
		return api.Status
	}
	return 0
}

// maxText limits the bytes of a body that is not JSON.
const maxText = 64 << 10

// bodyText returns a body for display: "" for an empty or JSON body, the title of an HTML page, or
// else the text.
func bodyText(body []byte) string {
	if json.Valid(body) {
		return ""
	}
	text := string(body[:min(len(body), maxText)])
	lower := strings.ToLower(text)
	if begin := strings.Index(lower, "<title>"); begin >= 0 && len(lower) == len(text) {
		if end := strings.Index(lower[begin:], "</title>"); end > 0 {
			text = text[begin+len("<title>") : begin+end]
		}
	}
	return auth.Printable(text, maxDetail)
}

func newAPIError(request Request, status int, body []byte) *APIError {
	if len(body) > maxText && !json.Valid(body) {
		body = body[:maxText]
	}
	return &APIError{Method: request.Method, Path: request.Path, Status: status, Message: reason(status), Body: body}
}

func reason(status int) string {
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "Unknown status"
}

// An AuthenticationError is returned when the platform refuses the credentials: it answers 401, or it
// redirects to its login page because a session has ended.
type AuthenticationError struct {
	Method, Path string // without the query
	Status       int
	Detail       string // the server's description; may be empty
	Hint         string // what to do; may be empty
}

func (e *AuthenticationError) Error() string {
	text := fmt.Sprintf("authentication failed (%d): %s %s", e.Status, e.Method, e.Path)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// PlatformClientError marks e as a ClientError.
func (e *AuthenticationError) PlatformClientError() {}

// An UnsupportedVersionError is returned when the server's version is not supported.
type UnsupportedVersionError struct {
	Version   string  // as reported by the server
	Available []Major // supported

	why string
}

func (e *UnsupportedVersionError) Error() string {
	text := fmt.Sprintf("version %q of the platform is not supported", auth.Printable(e.Version, 80))
	if e.why != "" {
		text += ": " + e.why
	}
	names := make([]string, len(e.Available))
	for i, major := range e.Available {
		names[i] = major.String()
	}
	return text + "; supported are " + strings.Join(names, ", ")
}

// PlatformClientError marks e as a ClientError.
func (e *UnsupportedVersionError) PlatformClientError() {}

// A VersionPinMismatchError is returned when the client is pinned to another major than the server's.
// It wraps an UnsupportedVersionError.
type VersionPinMismatchError struct {
	Pinned   Major
	Reported string // version reported by the server
}

func (e *VersionPinMismatchError) Error() string {
	return fmt.Sprintf("the client is pinned to %s, but the platform reports version %q; correct the version, or leave it out", e.Pinned, auth.Printable(e.Reported, 80))
}

// Unwrap returns an UnsupportedVersionError.
func (e *VersionPinMismatchError) Unwrap() error {
	return &UnsupportedVersionError{Version: e.Reported, Available: []Major{e.Pinned}, why: "the client is pinned"}
}

// PlatformClientError marks e as a ClientError.
func (e *VersionPinMismatchError) PlatformClientError() {}

// ErrLookup is wrapped by every LookupError.
var ErrLookup = errors.New("lookup failed")

// Kinds of LookupError, for errors.Is.
var (
	ErrRouteNotFound   = errors.New("no route has this code")
	ErrUserNotFound    = errors.New("no such user")
	ErrUnknownResource = errors.New("unknown type of resource")
	ErrUnknownSetting  = errors.New("no system setting has this key")
	ErrInstallTarget   = errors.New("neither a version nor an app of the app hub has this id")
)

// A LookupError is returned when nothing has the requested name. It is not a ClientError, because
// the platform did respond.
type LookupError struct {
	Kind        error // one of the errors above
	Name        string
	Suggestions []string // similar names, best first
}

// Error returns one line: no route has this code: "lab"; did you mean labs?
func (e *LookupError) Error() string {
	text := fmt.Sprintf("%v: %q", e.Kind, e.Name)
	if len(e.Suggestions) > 0 {
		text += "; did you mean " + strings.Join(e.Suggestions, ", ") + "?"
	}
	return text
}

// Unwrap returns the kind, and ErrLookup.
func (e *LookupError) Unwrap() []error { return []error{e.Kind, ErrLookup} }
