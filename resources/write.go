package resources

import (
	"time"

	"github.com/roget-health/roget/resources/index"
)

// A Write is a change of one resource.
type Write struct {
	Key
	// Render returns the body for a version. The document contains its id, versionId and
	// lastUpdated, so the store determines them first. nil means delete. Render may be called more
	// than once if the store retries. The body is not changed afterwards. If Render fails, Write
	// returns its error and changes nothing.
	Render func(versionID int64, lastUpdated time.Time) ([]byte, error)
	// IfVersion, if not nil, is the version that must be current (0: must not exist). A deletion is
	// a version, and is current after a delete.
	IfVersion *int64
	// Fresh says that the id has just been generated, and IfVersion is 0. A store need not look for a
	// former version first, but returns ErrConflict all the same if there is one.
	Fresh bool
	// JustRead says that the caller has just read IfVersion as the newest version, or that there is none. A
	// store need not look for it again, but returns ErrConflict all the same if there is another.
	JustRead bool
	// At, if not zero, is the time to record; otherwise the clock of the store is used. Either is
	// truncated to milliseconds, and raised to the time of the latest version of any resource in
	// the store, so that versions are in the order of their times.
	At time.Time
	// Entries and Values are the index data that an Indexed store keeps for searches
	// (index.Values), nil for a deletion. Other stores ignore them. The store takes ownership of
	// them.
	Entries [][]byte
	Values  []byte
	// Terms are entries that belong to the store rather than to a version. Each is stored once,
	// with Seq 0, and never removed. A store that is not Indexed ignores them.
	Terms [][]byte
}

// Next returns the version that follows current (VersionID 0: none) and its Seq. It implements the
// rules of Write that all stores share. now is the clock of the store, and last its greatest Seq so
// far, 0 if there is none. The errors are those of Store.Write; with ErrGone the Version is
// current.
func (w *Write) Next(current Version, now time.Time, last index.Seq) (Version, index.Seq, error) {
	if w.IfVersion != nil && *w.IfVersion != current.VersionID {
		return Version{}, 0, Conflict(w.Key, *w.IfVersion, current.VersionID)
	}
	if w.Render == nil {
		switch {
		case current.VersionID == 0:
			return Version{}, 0, NotFound(w.Key)
		case current.Deleted:
			return current, 0, Gone(w.Key)
		}
	}
	if !w.At.IsZero() {
		now = w.At
	}
	seq := max(index.SeqAt(now), last+1)
	if current.VersionID > 0 {
		seq = max(seq, index.SeqAt(current.LastUpdated))
	}
	next := Version{Key: w.Key, VersionID: current.VersionID + 1, LastUpdated: seq.Time(), Deleted: w.Render == nil}
	if next.Deleted {
		return next, seq, nil
	}
	body, err := w.Render(next.VersionID, next.LastUpdated)
	if err != nil {
		return Version{}, 0, err
	}
	if body == nil {
		body = []byte{}
	}
	next.Body = body
	return next, seq, nil
}
