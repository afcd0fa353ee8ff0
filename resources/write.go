package resources

import "time"

// Write is a change to one resource.
type Write struct {
	Key
	// Render gives the body for the version it will be: the id, versionId and lastUpdated
	// are inside the document, so the store tells them first. nil means delete. It may be
	// called more than once, when the store has to try again. Nobody changes the body after
	// that. An error of Render is returned by Write, which changes nothing then.
	Render func(versionID int64, lastUpdated time.Time) ([]byte, error)
	// IfVersion, when not nil, is the version that must be current (0: must not exist).
	// A deletion is a version too: it is current after a delete.
	IfVersion *int64
	// At, when not zero, is the time to record; else the store's clock. Either is cut to
	// milliseconds, and moved up to the time of the version before when it is earlier.
	At time.Time
	// Entries and Values are what an Indexed store keeps for searches (index.Values); nil for
	// a deletion. A store that is not Indexed ignores them. They belong to the store now.
	Entries [][]byte
	Values  []byte
}

// Next gives the version that follows current (VersionID 0: there is none): the rules of
// Write that every store shares. now is the store's clock. Errors are those of
// Store.Write; with ErrGone the Version is current.
func (w *Write) Next(current Version, now time.Time) (Version, error) {
	if w.IfVersion != nil && *w.IfVersion != current.VersionID {
		return Version{}, Conflict(w.Key, *w.IfVersion, current.VersionID)
	}
	if w.Render == nil {
		switch {
		case current.VersionID == 0:
			return Version{}, NotFound(w.Key)
		case current.Deleted:
			return current, Gone(w.Key)
		}
	}
	at := w.At
	if at.IsZero() {
		at = now
	}
	at = at.UTC().Truncate(time.Millisecond)
	if at.Before(current.LastUpdated) {
		at = current.LastUpdated
	}
	next := Version{Key: w.Key, VersionID: current.VersionID + 1, LastUpdated: at, Deleted: w.Render == nil}
	if w.Render == nil {
		return next, nil
	}
	body, err := w.Render(next.VersionID, next.LastUpdated)
	if err != nil {
		return Version{}, err
	}
	if body == nil {
		body = []byte{}
	}
	next.Body = body
	return next, nil
}
