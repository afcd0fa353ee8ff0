package sqlite

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// The entries of the last versions are not in the table entry yet. They are in the documents, as those
// of all versions are, and sorted in memory, from where they move to the table many at a time, in the
// order of the table (see settle.go). A page of the table is so written once for many versions.

// settledMark is the mark that says which entries are in the table.
const settledMark = "entries"

// settled says which entries are in the table: those of versions up to seq, and of versions up to next
// the entries up to (entry, last) in the order of the table.
type settled struct {
	seq, next index.Seq
	entry     []byte
	last      index.Seq
}

// has reports whether an entry of a version is in the table.
func (s *settled) has(entry []byte, seq index.Seq) bool {
	if seq <= s.seq || seq > s.next {
		return seq <= s.seq
	}
	order := bytes.Compare(entry, s.entry)
	return order < 0 || order == 0 && seq <= s.last
}

// String returns the value of the mark.
func (s *settled) String() string {
	if s.next == 0 {
		return fmt.Sprint(int64(s.seq))
	}
	return fmt.Sprintf("%d %d %d %x", s.seq, s.next, s.last, s.entry)
}

// parseSettled reads the value of the mark.
func parseSettled(text string) (s settled, err error) {
	var entry string
	switch n, _ := fmt.Sscanf(text, "%d %d %d %s", &s.seq, &s.next, &s.last, &entry); {
	case n == 1:
		return s, nil
	case n < 3: // an empty entry has no digits
		return s, fmt.Errorf("the mark %s of the store is damaged: %q", settledMark, text)
	}
	s.entry, err = hex.DecodeString(entry)
	return s, err
}

// row is an entry of a version.
type row = sqlstore.EntryRow

// sortedRun has entries in the order of the table. It has few pointers, because there are many of them.
type sortedRun struct {
	text []byte
	ends []uint32 // of each entry in text
	seqs []index.Seq
}

func newRun(entries, size int) *sortedRun {
	return &sortedRun{text: make([]byte, 0, size), ends: make([]uint32, 0, entries), seqs: make([]index.Seq, 0, entries)}
}

// runOf returns a run of rows that are sorted.
func runOf(rows sqlstore.EntryRows) *sortedRun {
	size := 0
	for i := range rows {
		size += len(rows[i].Bytes)
	}
	r := newRun(len(rows), size)
	for i := range rows {
		r.add(rows[i])
	}
	return r
}

func (r *sortedRun) add(x row) {
	r.text = append(r.text, x.Bytes...)
	r.ends = append(r.ends, uint32(len(r.text)))
	r.seqs = append(r.seqs, x.Seq)
}

func (r *sortedRun) len() int { return len(r.seqs) }

func (r *sortedRun) at(i int) row {
	from := uint32(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	return row{Bytes: r.text[from:r.ends[i]:r.ends[i]], Seq: r.seqs[i]}
}

// search returns the number of entries before a row in the order of the table, or through it.
func (r *sortedRun) search(x row, through bool) int {
	low, high := 0, r.len()
	for low < high {
		mid := int(uint(low+high) >> 1)
		if order := r.at(mid).Compare(x); order < 0 || order == 0 && through {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// merge returns the entries of two runs.
func merge(a, b *sortedRun) *sortedRun {
	m := newRun(a.len()+b.len(), len(a.text)+len(b.text))
	i, j := 0, 0
	for i < a.len() && j < b.len() {
		if x, y := a.at(i), b.at(j); x.Compare(y) <= 0 {
			m.add(x)
			i++
		} else {
			m.add(y)
			j++
		}
	}
	for ; i < a.len(); i++ {
		m.add(a.at(i))
	}
	for ; j < b.len(); j++ {
		m.add(b.at(j))
	}
	return m
}

const (
	// fanOut is how many times as large as the next run is a run that is not merged with it.
	fanOut = 8
	// maxRunText bounds the text of a run, whose places have 32 bits.
	maxRunText = math.MaxUint32 / 2
)

// withRun returns runs with another one. It merges those that are not much larger, so that there are few.
func withRun(runs []*sortedRun, r *sortedRun) []*sortedRun {
	if r.len() == 0 {
		return runs
	}
	runs = slices.Clip(runs) // others read it
	for n := len(runs); n > 0 && runs[n-1].len() < fanOut*r.len() && len(runs[n-1].text)+len(r.text) < maxRunText; n = len(runs) {
		r = merge(runs[n-1], r)
		runs = runs[: n-1 : n-1]
	}
	return append(runs, r)
}

// recent holds the entries that are not in the table. A state of it is never changed.
type recent struct {
	mu    sync.Mutex // held by who makes the next state
	state atomic.Pointer[recentState]
}

// recentState has all entries of versions after base, up to last, that are not in the table.
type recentState struct {
	base, last index.Seq
	runs       []*sortedRun
}

// entries returns the number of entries.
func (s *recentState) entries() (n int) {
	for _, r := range s.runs {
		n += r.len()
	}
	return n
}

// of returns the state for a snapshot whose last version is at, or nil if the snapshot is older than
// the state. load calls fn with the entries of versions that other processes have written, or that
// were written before this one began.
func (c *recent) of(table *settled, at index.Seq, load func(after, last index.Seq, fn func(index.Seq, [][]byte)) error) (*recentState, error) {
	if s := c.state.Load(); s != nil && s.base == table.seq && s.last >= at {
		return s, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state.Load()
	switch {
	case s == nil || s.last < table.seq:
		s = &recentState{base: table.seq, last: table.seq}
	case s.base > table.seq:
		return nil, nil
	case s.base < table.seq:
		s = s.since(table.seq)
	}
	if s.last < at {
		var rows sqlstore.EntryRows
		next := &recentState{base: s.base, last: at, runs: s.runs}
		err := load(s.last, at, func(seq index.Seq, entries [][]byte) {
			rows.Add(seq, entries)
			if len(rows) > maxLoaded {
				next.runs = withRun(next.runs, runOf(rows.Sorted()))
				rows = rows[:0]
			}
		})
		if err != nil {
			return nil, err
		}
		next.runs = withRun(next.runs, runOf(rows.Sorted()))
		s = next
	}
	c.state.Store(s)
	return s, nil
}

// maxLoaded bounds the entries that are sorted at a time.
const maxLoaded = 1 << 17

// since returns the state without the versions up to a Seq, whose entries are in the table.
func (s *recentState) since(seq index.Seq) *recentState {
	next := &recentState{base: seq, last: s.last}
	for _, r := range s.runs {
		kept := newRun(0, 0)
		for i := range r.len() {
			if r.seqs[i] > seq {
				kept.add(r.at(i))
			}
		}
		next.runs = withRun(next.runs, kept)
	}
	return next
}

// add adds the entries of versions up to last, which are about to be committed, and returns what takes
// them out again.
func (c *recent) add(runs []*sortedRun, last index.Seq) (undo func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.state.Load()
	next := &recentState{base: before.base, last: max(before.last, last), runs: before.runs}
	for _, r := range runs {
		next.runs = withRun(next.runs, r)
	}
	c.state.Store(next)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state.Store(before)
	}
}
