// Package agreement lets servers change together to a new edition of what each of them has loaded.
//
// The servers share a few notes, such as rows of a database. Each writes one about itself again and
// again: what it has, and which change it has stopped for. One more note is the agreed edition. When
// all have the same new thing, one of them proposes it under the next number. Then all stop answering
// and say so, and when all have, one of them confirms it. They answer again from what is confirmed. So nobody answers from the new edition while another may still answer from the old one.
//
// A server that says nothing is waited for as long as its lease runs, and does not answer when its lease
// has run out. A change that somebody does not stop for in time is withdrawn.
package agreement

import "time"

// Edition is the agreed edition.
type Edition struct {
	Number int    // grows by 1 with each edition
	Turn   int    // grows by 1 with each proposal and withdrawal
	Digest string // of what the servers answer from
	Height int    // of that: what is newer is higher
	// Former is the digest of the edition before while the servers stop for this one. It is not nil then.
	Former *string `json:",omitempty"`
}

// note is what a server says of itself.
type note struct {
	Has   string        // digest of the newest thing that it can answer from
	Stop  int           // it answers nothing before the proposal of this turn is confirmed or withdrawn
	Lease time.Duration // how long it answers after it said so
}

// A member is a note with its age.
type member struct {
	note
	age time.Duration
}

// A view is what a server reads after it has written its own note.
type view struct {
	edition Edition
	age     time.Duration     // of edition
	members map[string]member // those whose lease has not run out, by name
}

// A state says whether requests are answered.
type state int

const (
	refusing  state = iota // has not what was agreed
	holding                // until the next number is confirmed
	answering              // from what was agreed
)

// Times of the protocol.
const (
	// freshTime is the age of a note from which its server may be gone, so that no change begins.
	freshTime = 1500 * time.Millisecond
	// stopTime is the longest time for all to stop for a change.
	stopTime = 2 * time.Second
	// drift is what clocks may differ by in a lease.
	drift = time.Second
)

// A move is what a server does about a view.
type move struct {
	state   state
	stop    int      // for its note
	propose *Edition // to replace the edition of the view if it is still that
}

// next returns the move of a server whose newest thing has a digest and a height, and which can answer from
// the digests for which has returns true. It proposes only what is higher than what was agreed.
func next(v *view, newest string, height int, has func(digest string) bool) move {
	e := v.edition
	all := func(good func(m member) bool) bool {
		for _, m := range v.members {
			if !good(m) {
				return false
			}
		}
		return len(v.members) > 0
	}
	switch {
	case e.Number == 0:
		return move{propose: &Edition{Number: 1, Turn: 1, Digest: newest, Height: height}}
	case e.Former != nil:
		m := move{state: holding, stop: e.Turn}
		switch {
		case all(func(m member) bool { return m.Stop == e.Turn }):
			m.propose = &Edition{Number: e.Number, Turn: e.Turn, Digest: e.Digest, Height: e.Height}
		case v.age > stopTime:
			m.propose = &Edition{Number: e.Number - 1, Turn: e.Turn + 1, Digest: *e.Former, Height: e.Height - 1}
		}
		return m
	}
	m := move{}
	if has(e.Digest) {
		m.state = answering
	}
	if height > e.Height && newest != e.Digest && all(func(m member) bool { return m.Has == newest && m.age < freshTime }) {
		m.propose = &Edition{Number: e.Number + 1, Turn: e.Turn + 1, Digest: newest, Height: height, Former: &e.Digest}
	}
	return m
}
