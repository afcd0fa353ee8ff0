package resources

import (
	"context"
	"errors"
	"time"
)

// Errors of a Store.
var (
	// ErrNotFound is returned for an id never stored.
	ErrNotFound = errors.New("resource not found")
	// ErrGone is returned when the current version is a deletion.
	ErrGone = errors.New("resource deleted")
	// ErrConflict is returned when the current version is not the one a Write expects.
	ErrConflict = errors.New("version conflict")
)

// Key names a resource: its type and logical id.
type Key struct{ Type, ID string }

// Version is one stored version of a resource. Body is the JSON as stored, nil for a
// deletion; it is the caller's to keep.
type Version struct {
	Key
	VersionID   int64 // 1, 2, 3, …
	LastUpdated time.Time
	Deleted     bool
	Body        []byte
}

// Write is a change to one resource.
type Write struct {
	Key
	// Render gives the body for the version it will be: the id, versionId and lastUpdated
	// are inside the document, so the store tells them first. nil means delete.
	Render func(versionID int64, lastUpdated time.Time) ([]byte, error)
	// IfVersion, when not nil, is the version that must be current (0: must not exist).
	IfVersion *int64
}

// A Store keeps resource versions. Implementations are safe for concurrent use. A
// Write that returned without error is durable: it survives kill -9 and power loss
// as far as the medium allows (memory: the life of the process).
//
// Read returns ErrNotFound for an id never stored, ErrGone for a deleted one.
// Write returns ErrConflict when IfVersion does not hold, and changes nothing then.
type Store interface {
	Read(ctx context.Context, key Key) (Version, error)
	Write(ctx context.Context, w Write) (Version, error)
	// Each calls fn with the current version of every resource of a type that is not
	// deleted, in ascending id order, until fn returns an error, which it passes on.
	Each(ctx context.Context, typ string, fn func(Version) error) error
	Close() error
}

// A Historian is a Store that can give former versions.
type Historian interface {
	ReadVersion(ctx context.Context, key Key, versionID int64) (Version, error)
	// History gives all versions, newest first, deletions included.
	History(ctx context.Context, key Key) ([]Version, error)
}
