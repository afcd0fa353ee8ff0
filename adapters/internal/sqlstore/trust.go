package sqlstore

import (
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources"
)

// A Follower is a Database that adds a version after one that was not looked for in the transaction
// (Row.Follows), because the caller has read it before. If another version is the newest by now, the
// commit fails with an error for which Retry is true. Then versions are looked for, and for some time
// also before others.
type Follower interface {
	// Follows reports whether the Database does so.
	Follows() bool
}

const (
	// doubtTime is how long former versions are looked for after another process has written one.
	doubtTime = time.Second
	// aloneTime is how long no other process must have written before versions are remembered.
	aloneTime = time.Second
)

// trust says whether the versions that callers have read are taken for the newest.
type trust struct {
	follows    bool         // the Database is a Follower
	until      atomic.Int64 // no trust before this time, in nanoseconds since 1970
	company    atomic.Int64 // until this time another process may still write
	remembered remembered
}

// doubt ends the trust for some time.
func (t *trust) doubt() {
	t.until.Store(time.Now().Add(doubtTime).UnixNano())
	t.remembered.clear()
}

// met notes that another process writes.
func (t *trust) met() {
	t.company.Store(time.Now().Add(aloneTime).UnixNano())
	t.remembered.clear()
}

// alone reports whether a version that this process has written may be taken for the newest, which a commit
// finds out.
func (t *trust) alone() bool {
	now := time.Now().UnixNano()
	return t.follows && now >= t.until.Load() && now >= t.company.Load()
}

// knows reports whether the former version of a Write need not be looked for: its id is fresh, or the
// caller has read it.
func (t *trust) knows(w *resources.Write) bool {
	return w.Fresh || t.follows && w.JustRead && w.Render != nil && w.IfVersion != nil && time.Now().UnixNano() >= t.until.Load()
}
