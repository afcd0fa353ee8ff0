// Package sqlstore is the part of a resource store that adapters/sqlite and adapters/postgres
// share: the queue of writers, transactions, retries, purging, and schema migrations. A Database
// runs the statements.
//
// There is one writer at a time among all processes that share a database. So versions are
// committed in the order of their Seq, and for a reader the last committed Seq separates what it
// sees from later versions. Waiting writes are committed together (see queue.go), which makes a
// single writer fast. A large change may be written before its turn (see stage.go).
//
// The tables: version has a row for each version with the data that searches need, document its
// text and its entries as one blob, entry a row for each entry and version, superseded the
// versions whose entries can be dropped, mark named values about the store, and journal records that
// are not resources. Documents are
// bytes, so they are returned exactly as written. The SQL is limited to what PostgreSQL shares
// with its distributed relatives: no sequences, ON CONFLICT names full keys, and transactions are
// retried after conflicts.
package sqlstore

import (
	"context"
	"errors"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// A Database runs the statements of a Store. It is safe for concurrent use.
type Database interface {
	// Read returns the newest version of a key with its size, and with its body if that is small
	// (index.WithSmallBody), or a zero Record.
	Read(ctx context.Context, key resources.Key) (index.Record, error)
	// ReadVersion returns one version like Read, or a zero Record.
	ReadVersion(ctx context.Context, key resources.Key, versionID int64) (index.Record, error)
	// Reader begins a read transaction on one snapshot.
	Reader(ctx context.Context) (Reader, error)
	// Writer begins the write transaction. Only one exists at a time.
	Writer(ctx context.Context) (Writer, error)
	// Mark returns a named value about the store.
	Mark(ctx context.Context, name string) (string, error)
	// Journal returns the records of a journal after a number, in ascending order.
	Journal(ctx context.Context, name string, after int64) ([]resources.JournalRecord, error)
	// Retry reports whether an error can be resolved by running the transaction again.
	Retry(err error) bool
	// Sums compares checksums for the Database.
	Sums() *Sums
	// Inspect checks the structure of the files.
	Inspect(ctx context.Context, how resources.Structure) (problems []string, err error)
	// Failure returns an error with its class added to its chain: resources.ErrUnavailable or
	// resources.ErrDamaged. Errors of neither class are returned unchanged.
	Failure(err error) error
	// Ping reads a little, without waiting for other users of the database.
	Ping(ctx context.Context) error
	// Writable asks for a reason why writes would fail, without writing. It may miss some.
	Writable() error
	// ReadsOnly reports whether the database is a standby, which only reads. Lag returns an error if it
	// lags behind what it has received, and Source one if it receives nothing. All are of the last Ping.
	ReadsOnly() bool
	Lag() error
	Source() error
	Close() error
}

// ErrInterrupted is returned by a Writer when a statement was given up because the time of its
// caller was over. The transaction can only be rolled back.
var ErrInterrupted = errors.New("the statement was interrupted")

// A Reader reads one snapshot of a database. It is for one goroutine.
type Reader interface {
	index.Reader
	index.ManyScanner
	index.Counter
	// List returns the current versions of a type that are not deleted, in ascending order of
	// ids, starting after an id.
	List(ctx context.Context, typ, after string, limit int) ([]VersionSize, error)
	// Walk calls fn for versions after a Seq in ascending order. It compares no checksums.
	Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error
	// End ends the transaction and releases the connection.
	End()
}

// VersionSize identifies a version and returns the length of its body.
type VersionSize struct {
	Seq  index.Seq
	Size int
}

// A Writer is a transaction that sees its own writes.
type Writer interface {
	Reader
	// Insert adds versions. Each supersedes the former version of its key.
	Insert(ctx context.Context, rows []Row) error
	// Save sets a savepoint for Undo, which rolls back to it.
	Save(ctx context.Context) error
	Undo(ctx context.Context) error
	// Superseded returns versions that were superseded before a point and still have entries, in
	// the order in which they were superseded.
	Superseded(ctx context.Context, before index.Seq, limit int) ([]Stale, error)
	// Clear drops the entries of versions and removes the versions from the result of Superseded.
	Clear(ctx context.Context, versions []Stale) error
	// Sole returns versions of a type from before a point, oldest first, that are the only ones of
	// their keys, but not the newest of all.
	Sole(ctx context.Context, typ string, before index.Seq, limit int) ([]Stale, error)
	// Forget removes versions that Sole returned.
	Forget(ctx context.Context, versions []Stale) error
	// Reindex replaces the search data of versions. had are their present entries.
	Reindex(ctx context.Context, had []Stale, versions []resources.Reindexed) error
	// Entries returns the packed entries of versions. Deletions and missing versions are omitted.
	Entries(ctx context.Context, seqs []index.Seq) ([]Stale, error)
	SetMark(ctx context.Context, name, value string) error
	// FillSums sets the checksums that versions lack.
	FillSums(ctx context.Context, sums []Summed) error
	// JournalLast returns the number of the last record of a journal, 0 if there is none, and
	// JournalNames the number of journals.
	JournalLast(ctx context.Context, name string) (int64, error)
	JournalNames(ctx context.Context) (int, error)
	// ClearJournal removes all records of a journal, and InsertJournal adds one.
	ClearJournal(ctx context.Context, name string) error
	InsertJournal(ctx context.Context, name string, number int64, body []byte) error
	// Commit commits durably. End rolls back anything not committed.
	Commit(ctx context.Context) error
}

// Row is a version to be added.
type Row struct {
	index.Record
	Former  index.Seq // the version it supersedes, or 0
	Follows bool      // it supersedes the version before it, which nobody has looked for; see Follower
	Sum     int64     // DocumentSum
	Fresh   bool      // staged, with a key that nobody else uses
	Entries [][]byte
	Terms   [][]byte
}

// Stale is a version with its entries, and the point at which it was superseded.
type Stale struct {
	Seq, Until index.Seq
	Entries    [][]byte
}
