package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// A Stager is a Database in which the rows of a large change can be inserted while others write.
// Nobody sees them before the commit, and only the commit needs the lock of the writer.
//
// The versions of such a change are numbered ahead of the clock, so that the numbers of those who
// commit meanwhile are smaller. Versions are still committed in the order of their Seq: if another
// was faster than the clock, or has changed what the change has read, it is tried again.
type Stager interface {
	// Stage begins a transaction without the lock of the writer.
	Stage(ctx context.Context) (Staging, error)
}

// A Staging is a transaction that inserts before it has the lock of the writer.
type Staging interface {
	// Find returns the newest versions of keys, also of others that commit meanwhile.
	Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error)
	// Stage inserts what nobody else can insert, too: documents with their entries, and versions of
	// fresh keys.
	Stage(ctx context.Context, rows []Row) error
	// Lock waits until no other process writes, and returns the last Seq of the others. Those of the
	// change are from first to last.
	Lock(ctx context.Context, first, last index.Seq) (index.Seq, error)
	// Finish inserts the rest of staged rows: other versions, what they supersede, and terms.
	Finish(rows []Row)
	// Commit commits durably. End rolls back anything not committed.
	Commit(ctx context.Context) error
	End()
}

// errOvertaken is returned for a change that can be tried again: it read something that only the
// lock of the writer keeps from changing, or that has changed.
var errOvertaken = errors.New("another change was faster")

// Times of staged changes: how far the commit may be ahead of the clock, which is how long it may wait
// for the lock of the writer; how long an entry takes at first (what changes took is remembered); and
// how far they are numbered ahead at most.
const (
	stageAhead    = 250 * time.Millisecond
	entryTime     = 15 * time.Microsecond
	maxStageAhead = 30 * time.Second
)

// stageOffset is where a change begins within its millisecond. Others begin at 0, and would wait for it if
// they took the same Seq; two changes begin at different places.
const stageOffset = 1 << 19

// stageAttempts is how often a change is tried without the lock.
const stageAttempts = 2

// A pace is the measured time for an entry of a staged change, 0 if nothing was measured.
type pace struct{ nanoseconds atomic.Int64 }

// ahead returns how far a change of some entries is numbered ahead.
func (p *pace) ahead(entries int) time.Duration {
	each := time.Duration(p.nanoseconds.Load())
	if each == 0 {
		each = entryTime
	}
	return min(stageAhead+time.Duration(entries)*each*3/2, maxStageAhead)
}

// took records what a change of some entries took.
func (p *pace) took(entries int, d time.Duration) {
	if entries > 0 {
		p.nanoseconds.Store(int64(d) / int64(entries))
	}
}

// staged runs fn in transactions without the lock of the writer. done is false if fn needs the lock.
func (s *Store) staged(ctx context.Context, entries int, fn func(resources.Tx) error) (done bool, err error) {
	stager, can := s.db.(Stager)
	if !can {
		return false, nil
	}
	for range stageAttempts {
		if err := s.ready(ctx); err != nil {
			return true, err
		}
		err := s.stage(ctx, stager, entries, fn)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, errOvertaken), s.db.Retry(err):
		default:
			return true, s.failure(err)
		}
	}
	return false, nil
}

// stage tries a change once.
func (s *Store) stage(ctx context.Context, stager Stager, entries int, fn func(resources.Tx) error) error {
	w, err := stager.Stage(ctx)
	s.observe(err)
	if err != nil {
		return err
	}
	defer w.End()
	began := time.Now()
	first := index.SeqAt(began.Add(s.pace.ahead(entries))) + stageOffset + index.Seq(rand.Int64N(stageOffset/2)) //nolint:gosec // no secret
	t := &stagedTx{w: w, first: first, heads: map[resources.Key]index.Record{}, wrote: map[resources.Key]bool{}}
	t.last = t.first - 1
	err = fn(t)
	t.ended = true
	switch {
	case t.overtaken:
		return errOvertaken
	case err != nil:
		return err
	case t.err != nil:
		return t.err
	case len(t.rows)+len(t.kept) == 0:
		return ctx.Err()
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	s.pace.took(entries, time.Since(began))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(t.first.Time()) - stageAhead):
	}
	for key := range t.wrote {
		s.trust.remembered.drop(key)
	}
	if err = t.commit(ctx); err == nil {
		s.meet(t.others)
		s.wrote(t.last)
	}
	if !errors.Is(err, errOvertaken) {
		s.observe(err)
	}
	return err
}

// A stagedTx is a change that is written without the lock of the writer. It reads the newest versions
// of keys only: whatever else fn reads could change before the commit.
type stagedTx struct {
	w           Staging
	first, last index.Seq
	others      index.Seq // the last of those that are committed before
	rows        []Row     // not staged yet
	size        int
	kept        []Row // staged; without documents and entries, and of fresh keys only their terms
	heads       map[resources.Key]index.Record
	wrote       map[resources.Key]bool
	overtaken   bool
	ended       bool
	err         error // of a Write
}

var _ resources.Tx = (*stagedTx)(nil)

// needsLock returns an error for what cannot be done without the lock.
func (t *stagedTx) needsLock() error {
	t.overtaken = true
	return errOvertaken
}

func (t *stagedTx) check(ctx context.Context) error {
	if t.ended {
		return errEnded
	}
	return ctx.Err()
}

// Write adds a version.
func (t *stagedTx) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	v, err := t.write(ctx, &w)
	if err != nil {
		t.err = err
	}
	return v, err
}

func (t *stagedTx) write(ctx context.Context, w *resources.Write) (resources.Version, error) {
	if err := t.check(ctx); err != nil {
		return resources.Version{}, err
	}
	if t.wrote[w.Key] {
		return resources.Version{}, t.needsLock()
	}
	former, known := t.heads[w.Key]
	fresh := w.Fresh && !known
	if !known && !fresh {
		if _, err := t.Find(ctx, []resources.Key{w.Key}, 0); err != nil {
			return resources.Version{}, err
		}
		former = t.heads[w.Key]
	}
	row, next, err := newRow(w, &former, t.first.Time(), t.last)
	switch {
	case err != nil:
		return next, err
	case row.Seq != t.last+1: // others have numbers in between
		return next, t.needsLock()
	}
	row.Fresh = fresh
	t.last, t.wrote[w.Key] = row.Seq, true
	t.rows = append(t.rows, row)
	t.size += len(row.Body) + len(row.Values)
	if len(t.rows) >= maxBufferedRows || t.size >= maxBufferedBytes {
		return next, t.flush(ctx)
	}
	return next, nil
}

// flush stages the rows.
func (t *stagedTx) flush(ctx context.Context) error {
	if len(t.rows) == 0 {
		return nil
	}
	if err := t.w.Stage(ctx, t.rows); err != nil {
		return err
	}
	for i := range t.rows {
		t.rows[i].Body, t.rows[i].Entries = nil, nil
		if t.rows[i].Fresh {
			t.rows[i].Values = nil
		}
	}
	t.kept, t.rows, t.size = append(t.kept, t.rows...), nil, 0
	return nil
}

// commit takes the lock and commits, unless another was faster.
func (t *stagedTx) commit(ctx context.Context) error {
	var err error
	if t.others, err = t.w.Lock(ctx, t.first, t.last); err != nil {
		return err
	}
	if t.others >= t.first {
		return errOvertaken
	}
	keys := make([]resources.Key, 0, len(t.heads))
	for key := range t.heads {
		keys = append(keys, key)
	}
	now, err := t.w.Find(ctx, keys, 0)
	if err != nil {
		return err
	}
	for i, key := range keys {
		if now[i].Seq != t.heads[key].Seq {
			return errOvertaken
		}
	}
	t.w.Finish(t.kept)
	if err = t.w.Commit(ctx); errors.Is(err, ErrInterrupted) {
		err = unconfirmed(err)
	}
	return err
}

// unconfirmed returns the error of a commit whose outcome is unknown, so it is not to be tried again.
func unconfirmed(err error) error {
	return fmt.Errorf("%w: the commit was not confirmed: %s", resources.ErrUnavailable, err.Error())
}

// At returns the Seq of the last version of the change.
func (t *stagedTx) At() index.Seq { return t.last }

// Find returns the newest versions of keys.
func (t *stagedTx) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	if err := t.check(ctx); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if t.wrote[key] {
			return nil, t.needsLock()
		}
	}
	records, err := t.w.Find(ctx, keys, parts)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		head := records[i]
		head.Body, head.Values = nil, nil
		if had, known := t.heads[key]; known && had.Seq != head.Seq {
			return nil, t.needsLock()
		}
		t.heads[key] = head
	}
	return records, nil
}

// Scan needs the lock.
func (t *stagedTx) Scan(context.Context, index.Range, func([]byte, index.Seq) bool) error {
	return t.needsLock()
}

// Load needs the lock.
func (t *stagedTx) Load(context.Context, []index.Seq, index.Parts) ([]index.Record, error) {
	return nil, t.needsLock()
}

// Versions needs the lock.
func (t *stagedTx) Versions(context.Context, index.VersionsRequest) ([]index.Record, error) {
	return nil, t.needsLock()
}
