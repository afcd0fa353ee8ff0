package resources

import (
	"context"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// Key names a resource: its type and logical id.
type Key = index.Key

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
	// History returns all versions, newest first, deletions included. ErrNotFound for an id
	// never stored.
	History(ctx context.Context, key Key) ([]Version, error)
}

// An Indexed is a Store that can be searched: it keeps the entries and Values of each
// Write, and gives them to readers.
type Indexed interface {
	// View calls fn with a Reader of one state of the store, in which every write that was
	// acknowledged before is.
	View(ctx context.Context, fn func(r index.Reader) error) error
	// Purge drops the entries of versions that were superseded before a time, so that
	// searches need not pass over them; their Body and Values stay. It gives how many
	// versions it cleared.
	Purge(ctx context.Context, before time.Time) (versions int, err error)
}

// A Reindexer is an Indexed whose entries and Values can be made anew: after a change of
// what is extracted from documents, or of what was stored before it was Indexed.
type Reindexer interface {
	// Reindex replaces the entries and Values of versions, all or none. A version that is
	// not there, or a deletion, is passed over.
	Reindex(ctx context.Context, versions []Reindexed) error
}

// Reindexed is what an Indexed store is to keep of a version from now on; see Write.
type Reindexed struct {
	Seq     index.Seq
	Entries [][]byte
	Values  []byte
	Terms   [][]byte
}

// A Marker is a Store that keeps a few named words about itself, such as which format its
// entries have.
type Marker interface {
	// Mark returns the value of a name, "" when it was never set.
	Mark(ctx context.Context, name string) (string, error)
	// SetMark sets it, durably.
	SetMark(ctx context.Context, name, value string) error
}

// A Transactor is a Store that applies several writes as one.
type Transactor interface {
	// Transact calls fn with a Tx. What it writes becomes visible, and durable, at once when
	// fn returns nil and Transact returns nil; else nothing has changed. Transactions, and
	// single writes, have the effect of some order one after the other, also as to what fn
	// reads: two transactions that search for the same and write what they did not find
	// exclude each other. fn may be called again after a collision, and must not use the
	// store but through the Tx.
	Transact(ctx context.Context, fn func(tx Tx) error) error
}

// A Tx is a transaction: a Reader that sees what it has written, and a writer. After an
// error of Write the transaction must be given up. Whoever writes many resources calls Find
// with their keys first: the store need not ask for each one then.
type Tx interface {
	index.Reader
	Write(ctx context.Context, w Write) (Version, error)
}

// A Watcher is a Store that several processes may share: it tells of writes of others.
type Watcher interface {
	// Watch calls fn with the keys of resources of some types that other processes have
	// written, in batches, until ctx ends. A key may come again, and those of this process
	// may come too.
	Watch(ctx context.Context, types []string, fn func(keys []Key)) error
}
