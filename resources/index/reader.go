package index

import (
	"context"
	"time"
)

// Seq numbers the versions of a store in the order of writing: milliseconds since 1970 times 2^20,
// plus a count. A later version has a greater Seq, and its time is LastUpdated.
type Seq int64

// Current is the Until of a version that has not been superseded.
const Current Seq = 1<<63 - 1

// seqShift is the number of bits of a Seq that count within a millisecond.
const seqShift = 20

// SeqAt returns the first Seq of a millisecond.
func SeqAt(t time.Time) Seq { return Seq(t.UnixMilli()) << seqShift }

// Time returns the millisecond of a Seq in UTC.
func (s Seq) Time() time.Time { return time.UnixMilli(int64(s) >> seqShift).UTC() }

// A Record is a version as searches see it.
type Record struct {
	Type, ID    string
	VersionID   int64
	LastUpdated time.Time // UTC, whole milliseconds
	Deleted     bool
	Seq         Seq
	Until       Seq    // Seq of the next version, Current if there is none
	Values      []byte // encoded Values; nil for a deletion and if not requested; see Forget
	Body        []byte // the document; nil for a deletion and if not requested
	Size        int    // length of the document, if WithSize or WithSmallBody requested it
}

// VisibleAt reports whether the store contained the version at a point and it is not a deletion.
func (r *Record) VisibleAt(at Seq) bool { return r.Seq <= at && at < r.Until && !r.Deleted }

// Parts selects what Load, Find and Versions return of a record besides its header.
type Parts uint8

// The parts of a record.
const (
	WithValues Parts = 1 << iota
	WithBody
	// WithSize sets Size, which a store knows without reading the document.
	WithSize
	// WithSmallBody sets Size, and Body if the document has at most SmallBody bytes.
	WithSmallBody
)

// SmallBody is the length up to which a document is small: it is read together with its length.
const SmallBody = 8 << 10

// A Range is a part of the key space: entries e with From <= e < To by bytes, in ascending order of
// (entry, Seq), or descending if Reverse is set. A nil To is the end of the key space.
type Range struct {
	From, To []byte
	// After, if not nil, is where a scan continues: after this entry and AfterSeq in the direction
	// of the scan. It must be within the range.
	After    []byte
	AfterSeq Seq
	Reverse  bool
}

// A VersionsRequest asks for versions in the order of Seq, newest first: a history.
type VersionsRequest struct {
	Type, ID string // "" means all types; all ids of the type
	Before   Seq    // only versions with a smaller Seq; 0 means all
	Since    Seq    // only versions with this or a greater Seq; 0 means all
	Limit    int    // maximum number of versions; 0 means all
	Parts    Parts
}

// A Reader reads one state of a store. It is for one goroutine, and valid until the function that
// received it returns. What it returns may be kept, but is shared and must not be modified. Every
// method returns ctx.Err() when ctx ends.
type Reader interface {
	// At is the upper bound of the state: every version in it has a Seq that is not greater.
	At() Seq
	// Scan calls fn for the entries of a range with the Seq of their versions, including superseded
	// and deleted versions, until fn returns false. The entry is valid only during the call.
	Scan(ctx context.Context, r Range, fn func(entry []byte, seq Seq) bool) error
	// Load returns the records of the given sequence numbers, one each, in that order. For a number
	// that does not exist the Record is zero.
	Load(ctx context.Context, seqs []Seq, parts Parts) ([]Record, error)
	// Find returns the newest version of each key, in that order. For a key that was never stored
	// the Record is zero. Deletions are returned as versions.
	Find(ctx context.Context, keys []Key, parts Parts) ([]Record, error)
	// Versions returns a history.
	Versions(ctx context.Context, r VersionsRequest) ([]Record, error)
}

// A LastLoader is a Reader that spares a round trip to the database if it knows which Load is the last.
type LastLoader interface {
	Reader
	// LoadLast is Load. What is read afterwards may be of a later state than At, in which a version
	// may have been removed or superseded.
	LoadLast(ctx context.Context, seqs []Seq, parts Parts) ([]Record, error)
}

// A Counter is a Reader that can count resources faster than by loading them.
type Counter interface {
	// Count returns the number of resources of a type, without those that were deleted.
	Count(ctx context.Context, typ string) (int, error)
}

// Unrestricted returns the reader of everything behind a reader that hides some records. It is for
// what many requests share, such as which terms are in use.
func Unrestricted(r Reader) Reader {
	if hides, is := r.(interface{ Unrestricted() Reader }); is {
		return hides.Unrestricted()
	}
	return r
}

// A Key is the address of a resource: its type and logical id.
type Key struct{ Type, ID string }

// String returns type/id, as in a relative reference.
func (k Key) String() string { return k.Type + "/" + k.ID }
