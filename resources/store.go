package resources

import (
	"context"
	"time"

	"github.com/roget-health/roget/resources/index"
)

// Key is the address of a resource: its type and logical id.
type Key = index.Key

// A Version is one stored version of a resource. Body is the JSON as stored, nil for a deletion. It
// may be kept indefinitely and must not be changed: store, service, listener and caller may share
// it.
type Version struct {
	Key
	VersionID   int64     // 1, 2, 3, …
	LastUpdated time.Time // UTC, whole milliseconds
	Deleted     bool
	Body        []byte
}

// A Store stores versions of resources. Implementations are safe for concurrent use. A Write that
// returns without error is durable: it survives kill -9 and power loss as far as the medium allows
// (for memory, as long as the process lives).
//
// Read returns ErrNotFound for an id that was never stored, and ErrGone together with the deletion
// for a deleted resource. Write returns ErrConflict if IfVersion does not hold. The deletion of a
// missing resource returns ErrNotFound, or ErrGone with the Version that is the deletion. In these
// cases nothing changes. The errors are made by NotFound, Gone and Conflict of this package. Every
// method returns ctx.Err() (wrapped or not) if ctx ends before the work is done, and ErrClosed
// after Close.
type Store interface {
	Read(ctx context.Context, key Key) (Version, error)
	Write(ctx context.Context, w Write) (Version, error)
	// Each calls fn with the current version of every resource of a type that is not deleted, in
	// ascending byte order of id. It stops at the first error of fn and returns it unchanged. fn
	// may read and write the same store; whether the same Each sees these writes is undefined.
	Each(ctx context.Context, typ string, fn func(Version) error) error
	Close() error
}

// A Historian is a Store that keeps earlier versions.
type Historian interface {
	// ReadVersion returns ErrNotFound for a version that was never stored, and ErrGone with the
	// Version for a deletion.
	ReadVersion(ctx context.Context, key Key, versionID int64) (Version, error)
	// History returns all versions, newest first, including deletions. It returns ErrNotFound for
	// an id that was never stored.
	History(ctx context.Context, key Key) ([]Version, error)
}

// A Rememberer is a Store that remembers versions it has written.
type Rememberer interface {
	// Remembered returns what is most probably the newest version of a key. A Write that is JustRead finds out
	// whether it is.
	Remembered(key Key) (Version, bool)
}

// An Indexed is a Store that can be searched. It stores the Entries and Values of each Write for
// its readers.
type Indexed interface {
	// View calls fn with a Reader of one state of the store, which includes every write
	// acknowledged before.
	View(ctx context.Context, fn func(r index.Reader) error) error
	// Purge removes the entries of versions that were superseded before a time, so that searches
	// need not skip them. Their Body and Values stay. It returns the number of versions.
	Purge(ctx context.Context, before time.Time) (versions int, err error)
}

// A Reindexer is an Indexed store whose entries and Values can be rebuilt after a change of the
// index format, or for versions stored before the store was Indexed.
type Reindexer interface {
	// Reindex replaces the entries and Values of versions, all or none. It skips versions that do
	// not exist and deletions.
	Reindex(ctx context.Context, versions []Reindexed) error
}

// Reindexed holds the new index data of a version; see Write.
type Reindexed struct {
	Seq     index.Seq
	Entries [][]byte
	Values  []byte
	Terms   [][]byte
}

// A Forgetter is an Indexed store that can remove resources without a trace. The others cannot, because
// their readers would miss them.
type Forgetter interface {
	// Forget removes the resources of a type that have one version, which is from before a time. The
	// newest version of the store stays in any case. It returns the number of resources, also with
	// an error.
	Forget(ctx context.Context, typ string, before time.Time) (resources int, err error)
}

// A Verifiable is a Store with checksums of what it stores.
type Verifiable interface {
	// Walk calls fn for at most limit versions after a Seq, in ascending order, all of one state of
	// the store, until fn returns false or an error. A version that is damaged has Problems.
	Walk(ctx context.Context, after index.Seq, limit int, fn func(v *StoredVersion) (bool, error)) error
	// Inspect checks the structure of the files of the store, if it knows them, and returns what is
	// wrong. Nobody waits for it, and it ends with ctx.
	Inspect(ctx context.Context, how Structure) (problems []string, err error)
	// Complete adds checksums to versions that have none because an earlier program wrote them. It
	// calls pause with the number of bytes read after each batch.
	Complete(ctx context.Context, pause func(ctx context.Context, bytes int64) error) error
}

// Structure is how thoroughly the structure of the files of a store is checked.
type Structure int

// The values of Structure.
const (
	NoStructure    Structure = iota
	QuickStructure           // the pages, and what is in the tables
	WholeStructure           // also whether the indexes of the files agree with the tables
)

// A StoredVersion is a version as a Verifiable found it.
type StoredVersion struct {
	index.Record
	Packed                 []byte // its index entries, encoded
	DocumentSum, ValuesSum int64  // 0: none
	NoDocument             bool
	Former, Next           index.Seq // the versions before and after, 0 if there is none
	MissingEntries         int       // of its entries, those that searches do not find
	Problems               []string
}

// A Monitored is a Store that examines its health.
type Monitored interface {
	// Probe reads from the store, and writes to it if a write has failed, and returns what does
	// not work. It does not wait longer than ctx, as far as the store lets it.
	Probe(ctx context.Context) Health
}

// A Standby is a Store that may only be read while its database is a standby of another.
type Standby interface {
	// ReadsOnly reports whether it was so at the last Probe or write.
	ReadsOnly() bool
}

// A Fenced is a Store that several versions of the program may open at a time.
type Fenced interface {
	// Fence sets the function that judges the mark of the search index whenever a transaction begins. Its
	// error ends the transaction.
	Fence(judge func(mark string) error)
}

// A Sequenced is a Store that knows how far it has written.
type Sequenced interface {
	// Written returns the Seq of the last version that this process has written, or a later one; 0 before
	// the first. A View of any process that is At it has all of them.
	Written() index.Seq
}

// A DamageReporter is a Store that reports damage when it meets it.
type DamageReporter interface {
	// OnDamage sets the function that is called with each error that wraps ErrDamaged, *DamageError
	// if it is about a version. It is called during transactions, and must neither wait nor use the
	// store.
	OnDamage(fn func(err error))
}

// Health is the state of a store. A field is nil if nothing is wrong.
type Health struct {
	Reads  error // the store does not answer
	Writes error // the last write failed and the store cannot be written still
	Data   error // damaged data was found; see ErrDamaged
	Lag    error // the store is a standby, and what it has received is not all visible yet
	Source error // the store is a standby, and receives nothing
}

// A Marker is a Store that stores a few named words about itself, such as its index format.
type Marker interface {
	// Mark returns the value of a name, "" if it was never set.
	Mark(ctx context.Context, name string) (string, error)
	// SetMark sets the value of a name, durably.
	SetMark(ctx context.Context, name, value string) error
	// SwapMark is SetMark if the value is was; otherwise it changes nothing. It returns the value that
	// the name then has.
	SwapMark(ctx context.Context, name, was, value string) (now string, err error)
}

// A Transactor is a Store that applies several writes as one.
type Transactor interface {
	// Transact calls fn with a Tx. Its writes become visible and durable together if fn returns nil
	// and Transact returns nil; otherwise nothing changes. Transactions and single writes are
	// serialisable, including the reads of fn: two transactions that run the same search and write
	// what they did not find exclude each other. fn may be called again after a collision, and must
	// use the store only through the Tx.
	Transact(ctx context.Context, fn func(tx Tx) error) error
}

// A LargeTransactor is a Transactor that commits several changes together. It commits a large one alone,
// so that no other waits for it longer than it must.
type LargeTransactor interface {
	Transactor
	// TransactLarge is Transact for a change that takes long. entries is how many entries it may write,
	// as far as that is known.
	TransactLarge(ctx context.Context, entries int, fn func(tx Tx) error) error
}

// A Tx is a transaction: a Reader that sees its own writes, and a writer. After an error of Write
// the transaction must be abandoned. A caller that writes many resources should call Find with
// their keys first, so that the store need not look up each one.
type Tx interface {
	index.Reader
	Write(ctx context.Context, w Write) (Version, error)
}

// A Watcher is a Store that several processes may share. It reports the writes of other processes.
type Watcher interface {
	// Watch calls fn with the keys of resources of the given types that other processes have
	// written, in batches, until ctx ends. A key may be repeated, and writes of this process may be
	// included.
	Watch(ctx context.Context, types []string, fn func(keys []Key)) error
}
