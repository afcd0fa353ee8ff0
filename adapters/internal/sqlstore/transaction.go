package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// errEnded is returned by a Tx that is used after its function has returned.
var errEnded = errors.New("the transaction has ended")

// transaction is the part of a group that belongs to one job.
type transaction struct {
	group    *group
	lastSeq  index.Seq
	rows     []Row // not inserted yet
	size     int
	heads    map[resources.Key]index.Record // newest versions written by this transaction
	saved    bool                           // rows were inserted that may have to be rolled back
	writeErr error                          // of a Write
	ended    bool
	again    bool // an attempt failed before, so fresh ids are looked for
}

var (
	_ resources.Tx      = (*transaction)(nil)
	_ index.ManyScanner = (*transaction)(nil)
)

// Write adds a version.
func (s *Store) Write(ctx context.Context, w resources.Write) (v resources.Version, err error) {
	if entries := len(w.Entries) + len(w.Terms); entries > resources.LargeEntries {
		err = s.TransactLarge(ctx, entries, func(tx resources.Tx) error {
			v, err = tx.Write(ctx, w)
			return err
		})
		if err != nil {
			return resources.Version{}, err
		}
		return v, nil
	}
	written := new(resources.Version)
	err = s.submit(ctx, request{key: &w.Key, known: s.trust.knows(&w)}, func(t *transaction) (err error) {
		*written, err = t.Write(ctx, w)
		return err
	})
	if err != nil && !errors.Is(err, resources.ErrGone) {
		return resources.Version{}, err // after errUnconfirmed the write may still be going on
	}
	if err == nil && s.trust.follows {
		s.trust.remembered.add(*written)
	}
	return *written, err
}

// Transact calls fn in a transaction. No other transaction runs at the same time.
func (s *Store) Transact(ctx context.Context, fn func(resources.Tx) error) error {
	return s.submit(ctx, request{}, func(t *transaction) error { return fn(t) })
}

// TransactLarge is Transact for a change of some entries. It is staged, or in a group of its own.
func (s *Store) TransactLarge(ctx context.Context, entries int, fn func(resources.Tx) error) error {
	if done, err := s.staged(ctx, entries, fn); done {
		return err
	}
	return s.submit(ctx, request{large: true}, func(t *transaction) error { return fn(t) })
}

// run runs fn. The transaction must be rolled back after an error.
func (t *transaction) run(ctx context.Context, fn func(*transaction) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := fn(t); err != nil {
		return err
	}
	if t.writeErr != nil {
		return t.writeErr
	}
	return ctx.Err()
}

// check returns an error if the transaction cannot continue.
func (t *transaction) check(ctx context.Context) error {
	switch {
	case t.ended:
		return errEnded
	case t.group.failure != nil:
		return t.group.failure
	}
	return ctx.Err()
}

// recordFailure records a database error, after which no job of the group can continue. The end
// of a context is not recorded, because a database checks it before doing anything, nor is a version
// whose checksum is wrong.
func (t *transaction) recordFailure(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.Is(err, resources.ErrDamaged): // a version that one job has read
	default:
		t.group.failure = err
	}
	return err
}

// Write adds a version. It is inserted later.
func (t *transaction) Write(ctx context.Context, w resources.Write) (resources.Version, error) {
	v, err := t.write(ctx, &w)
	if err != nil {
		t.writeErr = err
	}
	return v, err
}

func (t *transaction) write(ctx context.Context, w *resources.Write) (resources.Version, error) {
	if err := t.check(ctx); err != nil {
		return resources.Version{}, err
	}
	former, known := t.knownHead(w.Key)
	switch {
	case known:
	case t.again || !t.group.trust.knows(w):
		if err := t.recordFailure(t.group.loadHeads(ctx, []resources.Key{w.Key})); err != nil {
			return resources.Version{}, err
		}
		former = t.group.heads[w.Key]
	case !w.Fresh:
		former.VersionID, former.LastUpdated = *w.IfVersion, time.UnixMilli(0)
	}
	row, next, err := newRow(w, &former, time.Now(), t.lastSeq)
	if err != nil {
		return next, err
	}
	if t.heads == nil {
		t.heads = make(map[resources.Key]index.Record)
	}
	t.group.trust.remembered.drop(w.Key)
	head := row.Record
	head.Body, head.Values = nil, nil
	t.heads[w.Key] = head
	t.lastSeq = row.Seq
	t.rows = append(t.rows, row)
	t.size += len(row.Body) + len(row.Values)
	if len(t.rows) >= maxBufferedRows || t.size >= maxBufferedBytes {
		return next, t.insert(ctx)
	}
	return next, nil
}

// newRow returns the row of a version after the former one, which may be zero, and after a Seq.
func newRow(w *resources.Write, former *index.Record, now time.Time, last index.Seq) (Row, resources.Version, error) {
	var current resources.Version // VersionID 0: none
	if former.VersionID > 0 {
		current = version(former)
	}
	next, seq, err := w.Next(current, now, last)
	if err != nil {
		return Row{}, next, err
	}
	row := Row{Former: former.Seq, Follows: former.Seq == 0 && former.VersionID > 0, Terms: w.Terms, Record: index.Record{
		Type: w.Type, ID: w.ID, VersionID: next.VersionID, LastUpdated: next.LastUpdated,
		Deleted: next.Deleted, Seq: seq, Until: index.Current, Body: next.Body,
	}}
	row.Sum = DocumentSum(&row.Record)
	if !next.Deleted {
		row.Values, row.Entries = w.Values, w.Entries
	}
	return row, next, nil
}

// knownHead returns the newest version of a key if it is known.
func (t *transaction) knownHead(key resources.Key) (index.Record, bool) {
	if head, known := t.heads[key]; known {
		return head, true
	}
	head, known := t.group.heads[key]
	return head, known
}

// insert inserts all buffered rows, so that they can be read.
func (t *transaction) insert(ctx context.Context) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // it also concerns the rows of others
	g := t.group
	if err := t.recordFailure(g.insert(ctx)); err != nil {
		return err
	}
	if len(t.rows) > 0 {
		if err := t.save(ctx); err != nil {
			return err
		}
		if err := t.recordFailure(g.w.Insert(ctx, t.rows)); err != nil {
			return err
		}
		t.rows = nil
	}
	t.size, g.size = 0, 0
	return nil
}

// save sets a savepoint, so that the inserts of this transaction can be rolled back.
func (t *transaction) save(ctx context.Context) error {
	if t.saved {
		return nil
	}
	t.saved = true
	return t.recordFailure(t.group.w.Save(context.WithoutCancel(ctx)))
}

// At returns the Seq of the last version, including those of the transaction.
func (t *transaction) At() index.Seq { return t.lastSeq }

// Scan calls fn for entries, including those of the transaction.
func (t *transaction) Scan(ctx context.Context, r index.Range, fn func([]byte, index.Seq) bool) error {
	if err := t.insert(ctx); err != nil {
		return err
	}
	return t.recordFailure(t.group.w.Scan(ctx, r, fn))
}

// ScanMany calls fn for the entries of many ranges.
func (t *transaction) ScanMany(ctx context.Context, ranges []index.Range, limit int, fn func(int, []byte, index.Seq) bool) error {
	if err := t.insert(ctx); err != nil {
		return err
	}
	return t.recordFailure(t.group.w.ScanMany(ctx, ranges, limit, fn))
}

// Load returns versions by their Seq.
func (t *transaction) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if err := t.insert(ctx); err != nil {
		return nil, err
	}
	records, err := t.group.w.Load(ctx, seqs, parts)
	return records, t.recordFailure(err)
}

// Find returns the newest versions of keys and caches them.
func (t *transaction) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	if err := t.check(ctx); err != nil {
		return nil, err
	}
	if parts != 0 {
		if err := t.insert(ctx); err != nil {
			return nil, err
		}
		records, err := t.group.w.Find(ctx, keys, parts)
		if err != nil {
			return nil, t.recordFailure(err)
		}
		for i, key := range keys {
			if _, known := t.knownHead(key); !known {
				head := records[i]
				head.Body, head.Values = nil, nil
				t.group.heads[key] = head
			}
		}
		return records, nil
	}
	var unknown []resources.Key
	for _, key := range keys {
		if _, known := t.knownHead(key); !known {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		if err := t.recordFailure(t.group.loadHeads(ctx, unknown)); err != nil {
			return nil, err
		}
	}
	records := make([]index.Record, len(keys))
	for i, key := range keys {
		records[i], _ = t.knownHead(key)
	}
	return records, nil
}

// Versions returns a history.
func (t *transaction) Versions(ctx context.Context, r index.VersionsRequest) ([]index.Record, error) {
	if err := t.insert(ctx); err != nil {
		return nil, err
	}
	records, err := t.group.w.Versions(ctx, r)
	return records, t.recordFailure(err)
}
