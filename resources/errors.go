package resources

import (
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/index"
	"github.com/roget-health/roget/resources/validate"
)

// Errors of a Store.
var (
	// ErrNotFound is returned for an id that was never stored.
	ErrNotFound = errors.New("resource not found")
	// ErrGone is returned if the requested version is a deletion.
	ErrGone = errors.New("resource deleted")
	// ErrConflict is returned if the current version is not the one that a Write expects.
	ErrConflict = errors.New("version conflict")
	// ErrUnavailable is returned while the store cannot work for a reason outside of it: its
	// server does not respond, its disk is full or read-only. The same call may succeed later.
	ErrUnavailable = errors.New("the resource store is unavailable")
	// ErrReadOnly is returned for a write by a store that only reads, such as one on a standby. It
	// is made elsewhere, or here after the standby was promoted.
	ErrReadOnly = errors.New("this server only reads: its store is a standby; send what changes resources to a server of the primary")
	// ErrUpgraded is returned once another version of the program has changed the store so that this one
	// cannot use it any more.
	ErrUpgraded = errors.New("another version of roget has upgraded the resource store meanwhile; upgrade this server")
	// ErrDamaged is returned if stored data is not what was written. It is never returned as a
	// resource.
	ErrDamaged = index.ErrDamaged
	// ErrClosed is returned by a Store after Close.
	ErrClosed = errors.New("store is closed")
)

// A DamageError is the ErrDamaged of a version.
type DamageError struct {
	Key
	VersionID int64
	Seq       index.Seq
	Problem   string
}

// Error names the version and the problem.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s version %d (seq %d): %v: %s", e.Key, e.VersionID, e.Seq, ErrDamaged, e.Problem)
}

// Unwrap returns ErrDamaged.
func (e *DamageError) Unwrap() error { return ErrDamaged }

// Errors of a Service.
var (
	// ErrIndexing is returned for what needs the search index of a type while Reindex makes it.
	ErrIndexing = errors.New("the search index is being brought up to date after an upgrade")
	// ErrNewerIndex is returned for a store whose search index a later version of the program has made.
	ErrNewerIndex = errors.New("the search index was written by a newer version of roget; use that version, or restore a backup made before the upgrade")
	// ErrUnknownType is returned for a type that the service does not store.
	ErrUnknownType = errors.New("resource type is not supported")
	// ErrBadID is returned for an id that is not 1 to 64 letters, digits, - and . (R4 datatypes,
	// id).
	ErrBadID = errors.New("bad resource id")
	// ErrTypeMismatch is returned if resourceType of the body is absent or not the addressed type.
	ErrTypeMismatch = errors.New("wrong resourceType")
	// ErrIDMismatch is returned if the id in the body of an update is absent or not the addressed
	// id.
	ErrIDMismatch = errors.New("the id in the body does not match")
	// ErrStoreFailed is returned if the store cannot write because its disk is full or it cannot be
	// reached. The change is neither acknowledged nor published.
	ErrStoreFailed = errors.New("the store failed")
	// ErrNoHistory is returned if earlier versions are requested from a store without history.
	ErrNoHistory = errors.New("this store keeps no earlier versions")
	// ErrNotSearchable is returned for searches on a store that is not Indexed, and for conditions
	// and transactions on one that is not a Transactor.
	ErrNotSearchable = errors.New("this store cannot be searched")
	// ErrInvalid matches every *validate.Invalid: the document breaks a rule of R4.
	ErrInvalid = validate.ErrInvalid
	// ErrMultipleMatches is returned if a condition that must select one resource matches several
	// (R4 http, conditional interactions: 412).
	ErrMultipleMatches = errors.New("multiple matches")
	// ErrNoMatch is returned if a conditional patch, or a conditional reference in a transaction,
	// matches nothing.
	ErrNoMatch = errors.New("no match")
	// ErrInUse is returned for a conditional update that matches nothing while its body has the id
	// of an existing resource (R4 http, conditional update: 409).
	ErrInUse = errors.New("id is in use")
	// ErrBundle is returned for a Bundle that the interaction does not accept.
	ErrBundle = errors.New("bundle cannot be processed")
	// ErrBadCursor is returned for a page cursor that did not come from a link.
	ErrBadCursor = errors.New("bad page cursor")
)

// The functions below format the errors of stores, so that every store returns the same text.

// NotFound returns ErrNotFound for a key.
func NotFound(k Key) error { return fmt.Errorf("%s: %w", k, ErrNotFound) }

// VersionNotFound returns ErrNotFound for a version of a key.
func VersionNotFound(k Key, versionID int64) error {
	return fmt.Errorf("%s version %d: %w", k, versionID, ErrNotFound)
}

// Gone returns ErrGone for a key.
func Gone(k Key) error { return fmt.Errorf("%s: %w", k, ErrGone) }

// inUse returns ErrInUse for a key.
func inUse(k Key) error {
	return fmt.Errorf("%s: %w: it exists and does not match the condition", k, ErrInUse)
}

// Conflict returns ErrConflict for a key. A version of 0 means that the resource does not exist.
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
