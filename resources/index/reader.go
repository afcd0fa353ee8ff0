package index

import (
	"context"
	"time"
)

// Seq numbers the versions of a store in the order they were written: milliseconds since
// 1970 times 2^20, plus a count. A later version has a greater Seq, and the time in it is
// its LastUpdated.
type Seq int64

// Current is the Until of a version that nothing has superseded.
const Current Seq = 1<<63 - 1

// seqShift is how many bits of a Seq count within a millisecond.
const seqShift = 20

// SeqAt returns the first Seq of a millisecond.
func SeqAt(t time.Time) Seq { return Seq(t.UnixMilli()) << seqShift }

// Time returns the millisecond of a Seq, UTC.
func (s Seq) Time() time.Time { return time.UnixMilli(int64(s) >> seqShift).UTC() }

// Record is a version as a search sees it.
type Record struct {
	Type, ID    string
	VersionID   int64
	LastUpdated time.Time // UTC, whole milliseconds
	Deleted     bool
	Seq         Seq
	Until       Seq    // Seq of the version after it; Current when there is none
	Values      []byte // Values.Append; nil for a deletion, and when not asked for
	Body        []byte // the document; nil for a deletion, and when not asked for
}

// VisibleAt reports that the record is what the store held at a point, and no deletion.
func (r *Record) VisibleAt(at Seq) bool { return r.Seq <= at && at < r.Until && !r.Deleted }

// Parts says what of a record Load and Versions give besides its header.
type Parts uint8

// The parts of a record.
const (
	WithValues Parts = 1 << iota
	WithBody
)

// Range is a part of the key space: entries e with From <= e < To by bytes, in ascending
// order of (entry, Seq), or descending when Reverse. A To of nil is the end of the key space.
type Range struct {
	From, To []byte
	// After, when not nil, is where a scan goes on: behind this entry and AfterSeq in the
	// direction of the scan. It must be within the range.
	After    []byte
	AfterSeq Seq
	Reverse  bool
}

// Versions asks for versions in the order of Seq, newest first: a history.
type VersionsRequest struct {
	Type, ID string // "" means all types; all ids of the type
	Before   Seq    // only versions with a smaller Seq; 0 means all
	Since    Seq    // only versions with this Seq or a greater; 0 means all
	Limit    int    // at most so many; 0 means all
	Parts    Parts
}

// A Reader reads one state of a store. It is for one goroutine, and for as long as the
// function lasts that got it. What it returns is the caller's to keep, and may be shared:
// not to be modified. Every method ends with ctx.Err() when ctx ends.
type Reader interface {
	// At is the point that divides what this state holds from what comes later: every
	// version of the state has a Seq that is not greater.
	At() Seq
	// Scan calls fn for the entries of a range with the Seq they belong to, superseded and
	// deleted versions included, until fn returns false. The entry is valid during the call.
	Scan(ctx context.Context, r Range, fn func(entry []byte, seq Seq) bool) error
	// Load returns the records of the given sequence numbers, one each and in that order.
	// A number that is not there gives a zero Record.
	Load(ctx context.Context, seqs []Seq, parts Parts) ([]Record, error)
	// Find returns the newest version of each key, in that order; a zero Record for a key
	// that was never stored. Deleted ones are given as deletions.
	Find(ctx context.Context, keys []Key, parts Parts) ([]Record, error)
	// Versions returns a history.
	Versions(ctx context.Context, r VersionsRequest) ([]Record, error)
}

// Key names a resource: its type and logical id.
type Key struct{ Type, ID string }

// String is type/id, as in a relative reference.
func (k Key) String() string { return k.Type + "/" + k.ID }
