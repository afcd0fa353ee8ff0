// Package sqlstore is the part of a resource store that adapters/sqlite and
// adapters/postgres share: who writes when, what a transaction holds back, retries,
// purging, and migrations of the tables. A Database underneath runs the statements.
//
// There is one writer at a time, of all processes that share a database. So versions are
// committed in the order of their Seq, and a reader that knows the last one knows the
// point that divides what it sees from what comes later. Writes that wait for their turn
// are committed together (see queue.go), which is what makes one writer fast.
//
// The tables: version has a row for each version with what a search needs of it, document
// its text and its entries as one blob, entry a row for each entry and version,
// superseded the versions whose entries are to be dropped, and mark a few words about the
// store. Documents are bytes, so they come back exactly as they were written. The SQL
// stays in the part that PostgreSQL shares with its distributed relatives: no sequences,
// ON CONFLICT names full keys, and transactions are run again when another was faster.
package sqlstore

import (
	"context"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// A Database runs the statements of a Store. It is safe for concurrent use.
type Database interface {
	// Read returns the newest version of a key with its body; a zero Record when there is none.
	Read(ctx context.Context, key resources.Key) (index.Record, error)
	// ReadVersion returns one version with its body, a zero Record when there is none.
	ReadVersion(ctx context.Context, key resources.Key, versionID int64) (index.Record, error)
	// Reader begins to read one state.
	Reader(ctx context.Context) (Reader, error)
	// Writer begins the transaction that is the only one to write.
	Writer(ctx context.Context) (Writer, error)
	// Mark returns a word about the store.
	Mark(ctx context.Context, name string) (string, error)
	// Retry reports an error that goes away when the transaction is run again.
	Retry(err error) bool
	Close() error
}

// A Reader reads one state of a database, for one goroutine.
type Reader interface {
	index.Reader
	index.ManyScanner
	// List returns the current versions of a type that are not deleted, in ascending order of
	// ids, behind an id.
	List(ctx context.Context, typ, after string, limit int) ([]Listed, error)
	// End returns back what the reader holds.
	End()
}

// Listed is where a version is, and the length of its body.
type Listed struct {
	Seq  index.Seq
	Size int
}

// A Writer is a transaction, and reads what it has written.
type Writer interface {
	Reader
	// Insert adds versions. A former version of the same key is superseded by it.
	Insert(ctx context.Context, rows []Row) error
	// Save remembers the state for Undo, which goes back to it and forgets it.
	Save(ctx context.Context) error
	Undo(ctx context.Context) error
	// Superseded returns versions that were superseded before a point and have entries still,
	// in the order in which that happened.
	Superseded(ctx context.Context, before index.Seq, limit int) ([]Stale, error)
	// Clear drops the entries of versions, and their place in what Superseded gives.
	Clear(ctx context.Context, versions []Stale) error
	// Reindex replaces what is kept for searches of a version that has the given entries.
	Reindex(ctx context.Context, had []Stale, versions []resources.Reindexed) error
	// Entries returns the packed entries of versions; those that are deletions or not there
	// are left out.
	Entries(ctx context.Context, seqs []index.Seq) ([]Stale, error)
	SetMark(ctx context.Context, name, value string) error
	// Commit makes it durable. End gives up what was not committed.
	Commit(ctx context.Context) error
}

// Row is a version to be added.
type Row struct {
	index.Record
	Former  index.Seq // of the version it supersedes; 0: none
	Entries [][]byte
	Terms   [][]byte
}

// Stale is a version with its packed entries, and the point since when it is superseded.
type Stale struct {
	Seq, Until index.Seq
	Entries    [][]byte
}
