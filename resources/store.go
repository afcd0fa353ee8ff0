package resources

import (
	"context"
	"time"
)

// Key names a resource: its type and logical id.
type Key struct{ Type, ID string }

// Version is one stored version of a resource. Body is the JSON as stored, nil for a
// deletion. It may be kept for ever and must not be changed: store, service, listener
// and caller may share it.
type Version struct {
	Key
	VersionID   int64     // 1, 2, 3, …
	LastUpdated time.Time // UTC, whole milliseconds
	Deleted     bool
	Body        []byte
}

// A Store keeps resource versions. Implementations are safe for concurrent use. A
// Write that returned without error is durable: it survives kill -9 and power loss
// as far as the medium allows (memory: the life of the process).
//
// Read returns ErrNotFound for an id never stored, ErrGone for a deleted one, with the
// Version that is the deletion. Write returns ErrConflict when IfVersion does not hold;
// a deletion of what is not there gives ErrNotFound or ErrGone (with the Version that is
// the deletion). In these cases nothing has changed. Errors are worded by NotFound, Gone
// and Conflict of this package. Every method gives ctx.Err() (wrapped or not) when ctx
// ends before its work is done, and ErrClosed after Close.
type Store interface {
	Read(ctx context.Context, key Key) (Version, error)
	Write(ctx context.Context, w Write) (Version, error)
	// Each calls fn with the current version of every resource of a type that is not
	// deleted, in ascending id order by bytes, until fn returns an error, which it passes
	// on unchanged. fn may read and write the same store; what it writes may or may not
	// be seen by the same Each.
	Each(ctx context.Context, typ string, fn func(Version) error) error
	Close() error
}

// A Historian is a Store that can give former versions.
type Historian interface {
	// ReadVersion returns ErrNotFound for a version never stored, and ErrGone with the
	// Version for one that is a deletion.
	ReadVersion(ctx context.Context, key Key, versionID int64) (Version, error)
	// History gives all versions, newest first, deletions included. ErrNotFound for an id
	// never stored.
	History(ctx context.Context, key Key) ([]Version, error)
}
