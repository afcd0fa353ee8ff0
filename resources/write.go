package resources

import (
	"time"

	"github.com/roget-health/roget/resources/index"
)

// Write is a change to one resource.
type Write struct {
	Key
	// Render returns the body for the version it will be: the id, versionId and lastUpdated
	// are inside the document, so the store tells them first. nil means delete. It may be
	// called more than once, when the store has to try again. Nobody changes the body after
	// that. An error of Render is returned by Write, which changes nothing then.
	Render func(versionID int64, lastUpdated time.Time) ([]byte, error)
	// IfVersion, when not nil, is the version that must be current (0: must not exist).
	// A deletion is a version too: it is current after a delete.
	IfVersion *int64
	// At, when not zero, is the time to record; else the store's clock. Either is cut to
	// milliseconds, and moved up to the time of the latest version of any resource in the
	// store when it is earlier: versions are in the order of their times.
	At time.Time
	// Entries and Values are what an Indexed store keeps for searches (index.Values); nil for
	// a deletion. A store that is not Indexed ignores them. They belong to the store now.
	Entries [][]byte
	Values  []byte
	// Terms are entries that belong to the store and to no version: each is kept once, with
	// the Seq 0, for ever. A store that is not Indexed ignores them.
	Terms [][]byte
}

// Next returns the version that follows current (VersionID 0: there is none), and its Seq:
// the rules of Write that every store shares. now is the store's clock, last the greatest
// Seq it has given, 0 when there is none. Errors are those of Store.Write; with ErrGone the
// Version is current.
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
