package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/roget-health/roget/auth"
)

// ClientError is the base of the errors below and of auth.FlowError, but not of
// LookupError. Platform toolkit, section 2.5.
type ClientError = auth.ClientError

// ErrNotBound reports whether a client made by New without a pin was asked for its major.
var ErrNotBound = errors.New("the client is not bound to a version of the platform; use Connect, or pin a major")

// APIError is an answer of the platform with a status of 400 or more other than 401, or a
// redirect to elsewhere than its login page.
type APIError struct {
	Method, Path string // without the query
	Status       int
	Message      string // reason phrase of the status
	// Body is as it came, but for credentials that were sent, which are masked. Of one that
	// is not JSON the first 64 KiB are kept.
	Body []byte

	detail string // in place of what the body says
}

// Error is one line: API error (404): Not Found: Namespace not found: 'none'
func (e *APIError) Error() string {
	text := fmt.Sprintf("API error (%d): %s", e.Status, e.Message)
	if detail := e.Detail(); detail != "" {
		text += ": " + detail
	}
	return text
}

// maxDetail is how many characters of a body are shown in an error.
const maxDetail = 400

// Detail is what the platform says of the error: the message of its envelope, else the
// text of the body, in one line of at most 400 characters.
func (e *APIError) Detail() string {
	if e.detail != "" {
		return e.detail
	}
	if message := e.WebMessage(); message != nil && message.Message != "" {
		return auth.Printable(message.Message, maxDetail)
	}
	return bodyText(e.Body)
}

// PlatformClientError marks the error as one of the client's.
func (e *APIError) PlatformClientError() {}

// statusOf returns the status of an APIError, 0 for other errors.
func statusOf(err error) int {
	if api, ok := errors.AsType[*APIError](err); ok {
		return api.Status
	}
	return 0
}

// maxText is how many bytes of a body are kept that is not JSON.
const maxText = 64 << 10

// bodyText returns a body for people: nothing of an empty or JSON one, the title of a page
// of HTML, else the text.
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

// AuthenticationError reports whether the platform does not accept the credentials: it answered
// 401, or sent the request to its login page, as it does when a session has ended.
type AuthenticationError struct {
	Method, Path string // without the query
	Status       int
	Detail       string // what the server says of it; may be empty
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

// PlatformClientError marks the error as one of the client's.
func (e *AuthenticationError) PlatformClientError() {}

// UnsupportedVersionError reports whether no supported major fits the server.
type UnsupportedVersionError struct {
	Version   string  // as the server reports it
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

// PlatformClientError marks the error as one of the client's.
func (e *UnsupportedVersionError) PlatformClientError() {}

// VersionPinMismatchError reports whether the server's major is not the one the client is
// pinned to. It is an UnsupportedVersionError, too: errors.As finds one in it.
type VersionPinMismatchError struct {
	Pinned   Major
	Reported string // version as the server reports it
}

func (e *VersionPinMismatchError) Error() string {
	return fmt.Sprintf("the client is pinned to %s, but the platform reports version %q; correct the version, or leave it out", e.Pinned, auth.Printable(e.Reported, 80))
}

// Unwrap returns the UnsupportedVersionError that this is.
func (e *VersionPinMismatchError) Unwrap() error {
	return &UnsupportedVersionError{Version: e.Reported, Available: []Major{e.Pinned}, why: "the client is pinned"}
}

// PlatformClientError marks the error as one of the client's.
func (e *VersionPinMismatchError) PlatformClientError() {}

// ErrLookup is what all kinds of LookupError are.
var ErrLookup = errors.New("lookup failed")

// Kinds of LookupError, for errors.Is.
var (
	ErrRouteNotFound   = errors.New("no route has this code")
	ErrUserNotFound    = errors.New("no such user")
	ErrUnknownResource = errors.New("unknown type of resource")
	ErrInstallTarget   = errors.New("neither a version nor an app of the app hub has this id")
)

// LookupError reports whether nothing has the name that was asked for. It is no ClientError:
// the platform did answer.
type LookupError struct {
	Kind        error // one of those above
	Name        string
	Suggestions []string // names that are alike, best first
}

// Error is one line: no route has this code: "lab"; did you mean labs?
func (e *LookupError) Error() string {
	text := fmt.Sprintf("%v: %q", e.Kind, e.Name)
	if len(e.Suggestions) > 0 {
		text += "; did you mean " + strings.Join(e.Suggestions, ", ") + "?"
	}
	return text
}

// Unwrap returns the kind, and ErrLookup.
func (e *LookupError) Unwrap() []error { return []error{e.Kind, ErrLookup} }
