package resources

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/validate"
)

// Errors of a Store.
var (
	// ErrNotFound is returned for an id never stored.
	ErrNotFound = errors.New("resource not found")
	// ErrGone is returned when the version asked for is a deletion.
	ErrGone = errors.New("resource deleted")
	// ErrConflict is returned when the current version is not the one a Write expects.
	ErrConflict = errors.New("version conflict")
	// ErrClosed is returned by a Store after Close.
	ErrClosed = errors.New("store is closed")
)

// Errors of a Service.
var (
	// ErrUnknownType is returned for a resource type the service does not keep.
	ErrUnknownType = errors.New("resource type is not supported")
	// ErrBadID is returned for an id that is not 1 to 64 letters, digits, - and . (R4 datatypes, id).
	ErrBadID = errors.New("bad resource id")
	// ErrTypeMismatch is returned when resourceType of the body is absent or not the type addressed.
	ErrTypeMismatch = errors.New("resourceType does not fit")
	// ErrIDMismatch is returned when the id of an updated body is absent or not the id addressed.
	ErrIDMismatch = errors.New("id in the body does not fit")
	// ErrStoreFailed is returned when the store failed to write: its medium is full, or it
	// cannot be reached. The change is not acknowledged and not published.
	ErrStoreFailed = errors.New("the store failed")
	// ErrNoHistory is returned when former versions are asked of a store that keeps none.
	ErrNoHistory = errors.New("this store keeps no former versions")
	// ErrNotSearchable is returned for searches, and for what needs them, on a store that is
	// not Indexed, and for conditions and transactions on one that is no Transactor.
	ErrNotSearchable = errors.New("this store cannot be searched")
	// ErrInvalid is what a *validate.Invalid is: the document is not what R4 asks of it.
	ErrInvalid = validate.ErrInvalid
	// ErrMultipleMatches is returned when a condition that must name one resource matches
	// several (R4 http, conditional interactions: 412).
	ErrMultipleMatches = errors.New("multiple matches")
	// ErrNoMatch is returned for a conditional patch, or a conditional reference in a
	// transaction, that matches nothing.
	ErrNoMatch = errors.New("no match")
	// ErrInUse is returned for a conditional update that finds nothing and whose body has the
	// id of a resource that does not match (R4 http, conditional update: 409).
	ErrInUse = errors.New("id is in use")
	// ErrBundle is returned for a Bundle that is not what the interaction takes.
	ErrBundle = errors.New("bundle cannot be processed")
	// ErrBadCursor is returned for a page that no link led to.
	ErrBadCursor = errors.New("bad page cursor")
)

// Errorf-like wording of the errors of stores, so that every store says the same.

// NotFound is ErrNotFound worded for a key.
func NotFound(k Key) error { return fmt.Errorf("%s: %w", k, ErrNotFound) }

// VersionNotFound is ErrNotFound worded for a version of a key.
func VersionNotFound(k Key, versionID int64) error {
	return fmt.Errorf("%s version %d: %w", k, versionID, ErrNotFound)
}

// Gone is ErrGone worded for a key.
func Gone(k Key) error { return fmt.Errorf("%s: %w", k, ErrGone) }

// inUse is ErrInUse worded for a key.
func inUse(k Key) error {
	return fmt.Errorf("%s: %w: it exists and does not match the condition", k, ErrInUse)
}

// Conflict is ErrConflict worded for a key; 0 means that it does not exist.
func Conflict(k Key, expected, current int64) error {
	switch {
	case current == 0:
		return fmt.Errorf("%s: %w: expected version %d, but it does not exist", k, ErrConflict, expected)
	case expected == 0:
		return fmt.Errorf("%s: %w: expected that it does not exist, but the current version is %d", k, ErrConflict, current)
	default:
		return fmt.Errorf("%s: %w: expected version %d, but the current version is %d", k, ErrConflict, expected, current)
	}
}
