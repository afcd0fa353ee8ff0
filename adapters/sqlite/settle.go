package sqlite

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources/index"
)

// settledAtOnce is how many entries are moved to the table at a time if all must be.
const settledAtOnce = 1 << 14

// settleSome moves a few entries to the table if there are more than are kept in memory, or if some of
// a set have been moved.
func (w *writer) settleSome(ctx context.Context) error {
	own := 0
	for _, r := range w.own {
		own += r.len()
	}
	t := &w.recent.table
	if t.next == 0 && (w.base.last <= t.seq || w.base.entries()+own <= w.database.maxRecent) {
		return nil
	}
	return w.settle(ctx, max(2*own, w.database.minSettled), w.base.last)
}

// settleUpTo moves all entries of versions up to a Seq.
func (w *writer) settleUpTo(ctx context.Context, seq index.Seq) error {
	for w.recent.table.seq < seq {
		if err := w.settle(ctx, settledAtOnce, max(w.base.last, w.last)); err != nil {
			return err
		}
	}
	return nil
}

// settle moves up to n entries to the table, in its order: the next ones of versions up to last, or of
// those of which some have been moved.
func (w *writer) settle(ctx context.Context, n int, last index.Seq) error {
	t := &w.recent.table
	if t.next == 0 {
		t.next = last
	}
	var in index.Range
	if t.last != 0 {
		in.After, in.AfterSeq = append([]byte{}, t.entry...), t.last
	}
	rows := make(sqlstore.EntryRows, 0, n)
	left := overlay{table: settled{seq: t.seq}, runs: w.recent.runs, upTo: t.next}
	c := left.open(&in, nil)
	for ; c.more && len(rows) < n; c.advance() {
		rows = append(rows, c.next)
	}
	if err := w.changeEntries(insertEntry, rows); err != nil {
		return err
	}
	if c.more {
		t.entry, t.last = bytes.Clone(rows[len(rows)-1].Bytes), rows[len(rows)-1].Seq
	} else {
		*t = settled{seq: t.next}
	}
	return w.SetMark(ctx, settledMark, t.String())
}

// settleAll moves all entries of a store that is being closed. The store is whole without.
func (d *database) settleAll() {
	if d.writer == nil {
		return
	}
	ctx := context.Background()
	w, err := d.Writer(ctx)
	if err != nil {
		return
	}
	defer w.End()
	if own := w.(*writer); own.settleUpTo(ctx, own.at) == nil {
		_ = w.Commit(ctx)
	}
}
