package sqlite

import (
	"context"
	"slices"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// writer is the writing connection in a transaction. The entries of what it writes are shown to its own
// scans at once, and to readers when it commits.
type writer struct {
	reader
	base  *recentState // when it began
	own   []*sortedRun // entries of its versions
	last  index.Seq    // of its versions
	saved *saved       // nil without a savepoint
}

// saved is what a writer knows of entries at its savepoint.
type saved struct {
	own   []*sortedRun
	last  index.Seq
	table settled
}

var _ sqlstore.Writer = (*writer)(nil)

const (
	insertVersion    = `INSERT INTO version (seq, type, id, version_id, until, deleted, vals, vals_sum, body_sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertDocument   = `INSERT INTO document (seq, entries, body) VALUES (?, ?, ?)`
	insertEntry      = `INSERT INTO entry (entry, seq) VALUES (?, ?) ON CONFLICT (entry, seq) DO NOTHING`
	deleteEntry      = `DELETE FROM entry WHERE entry = ? AND seq = ?`
	updateUntil      = `UPDATE version SET until = ? WHERE seq = ?`
	insertSuperseded = `INSERT INTO superseded (until, seq) VALUES (?, ?)`
	deleteSuperseded = `DELETE FROM superseded WHERE until = ? AND seq = ?`
	updateEntries    = `UPDATE document SET entries = ? WHERE seq = ?`
	updateValues     = `UPDATE version SET vals = ?, vals_sum = ? WHERE seq = ?`
	upsertMark       = `INSERT INTO mark (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	selectSuperseded = `SELECT s.until, s.seq, d.entries FROM superseded s CROSS JOIN document d ON d.seq = s.seq
WHERE s.until < ? ORDER BY s.until, s.seq LIMIT ?`
	selectSole = `SELECT v.until, v.seq, d.entries FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.seq < min(?, (SELECT max(seq) FROM version)) AND v.version_id = 1 AND v.until = 9223372036854775807 AND v.deleted = 0
ORDER BY v.seq LIMIT ?`
	deleteDocument = `DELETE FROM document WHERE seq = ?`
	deleteVersion  = `DELETE FROM version WHERE seq = ?`
	selectEntries  = `SELECT v.until, v.seq, d.entries FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.seq = ? AND v.deleted = 0`
)

// withStatement runs fn with a prepared statement.
func (w *writer) withStatement(sql string, fn func(s *statement) error) error {
	s, err := w.conn.prepare(sql)
	if err != nil {
		return err
	}
	defer s.release()
	return fn(s)
}

// Insert adds versions, table by table. Their entries come to the table later.
func (w *writer) Insert(_ context.Context, rows []sqlstore.Row) error {
	var entries, terms sqlstore.EntryRows
	for i := range rows {
		entries.Add(rows[i].Seq, rows[i].Entries)
		terms.Add(0, rows[i].Terms)
	}
	if err := w.withStatement(insertVersion, func(s *statement) error { return insertVersions(s, rows) }); err != nil {
		return err
	}
	if err := w.withStatement(insertDocument, func(s *statement) error { return insertDocuments(s, rows) }); err != nil {
		return err
	}
	if err := w.supersede(rows); err != nil {
		return err
	}
	if len(rows) > 0 {
		w.own, w.last = withRun(w.own, runOf(entries.Sorted())), rows[len(rows)-1].Seq
		w.show()
	}
	return w.changeEntries(insertEntry, terms.Sorted())
}

// show shows the entries of the writer to its scans.
func (w *writer) show() {
	w.recent.runs = append(slices.Clip(w.base.runs), w.own...)
}

func insertVersions(s *statement, rows []sqlstore.Row) error {
	for i := range rows {
		r := &rows[i]
		s.bindInt(1, int64(r.Seq))
		s.bindText(2, r.Type)
		s.bindText(3, r.ID)
		s.bindInt(4, r.VersionID)
		s.bindInt(5, int64(r.Until))
		s.bindInt(6, flag(r.Deleted))
		s.bindBytes(7, r.Values)
		s.bindInt(8, sqlstore.ValuesSum(r.Seq, r.Values))
		s.bindInt(9, r.Sum)
		if err := s.run(); err != nil {
			return err
		}
	}
	return nil
}

func insertDocuments(s *statement, rows []sqlstore.Row) error {
	for i := range rows {
		r := &rows[i]
		s.bindInt(1, int64(r.Seq))
		s.bindBytes(2, sqlstore.Pack(r.Entries))
		s.bindBytes(3, r.Body)
		if err := s.run(); err != nil {
			return err
		}
	}
	return nil
}

// supersede records that former versions are superseded.
func (w *writer) supersede(rows []sqlstore.Row) error {
	for _, sql := range []string{updateUntil, insertSuperseded} {
		err := w.withStatement(sql, func(s *statement) error {
			for i := range rows {
				if rows[i].Former == 0 {
					continue
				}
				s.bindInt(1, int64(rows[i].Seq))
				s.bindInt(2, int64(rows[i].Former))
				if err := s.run(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// changeEntries runs a statement for each entry. They must be in the order of the table.
func (w *writer) changeEntries(sql string, entries sqlstore.EntryRows) error {
	return w.withStatement(sql, func(s *statement) error {
		for _, e := range entries {
			s.bindBytes(1, e.Bytes)
			s.bindInt(2, int64(e.Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Save sets a savepoint for Undo.
func (w *writer) Save(context.Context) error {
	if w.saved != nil {
		if err := w.conn.exec("RELEASE job"); err != nil {
			return err
		}
	}
	w.saved = &saved{own: w.own, last: w.last, table: w.recent.table}
	return w.conn.exec("SAVEPOINT job")
}

// Undo rolls back to the savepoint.
func (w *writer) Undo(context.Context) error {
	w.own, w.last, w.recent.table = w.saved.own, w.saved.last, w.saved.table
	w.show()
	return w.conn.exec("ROLLBACK TO job")
}

// Superseded returns superseded versions that still have entries.
func (w *writer) Superseded(_ context.Context, before index.Seq, limit int) ([]sqlstore.Stale, error) {
	var stale []sqlstore.Stale
	err := w.withStatement(selectSuperseded, func(s *statement) (err error) {
		s.bindInt(1, int64(before))
		s.bindInt(2, int64(limit))
		stale, err = appendStale(stale, s)
		return err
	})
	return stale, err
}

// Entries returns the entries of versions.
func (w *writer) Entries(_ context.Context, seqs []index.Seq) ([]sqlstore.Stale, error) {
	var had []sqlstore.Stale
	err := w.withStatement(selectEntries, func(s *statement) (err error) {
		for _, seq := range seqs {
			s.bindInt(1, int64(seq))
			if had, err = appendStale(had, s); err != nil {
				return err
			}
			s.reset()
		}
		return nil
	})
	return had, err
}

func appendStale(list []sqlstore.Stale, s *statement) ([]sqlstore.Stale, error) {
	for {
		row, err := s.step()
		if err != nil || !row {
			return list, err
		}
		entries, err := sqlstore.Unpack(s.bytes(2))
		if err != nil {
			return nil, err
		}
		list = append(list, sqlstore.Stale{Until: index.Seq(s.int(0)), Seq: index.Seq(s.int(1)), Entries: entries})
	}
}

// drop deletes the entries of versions.
func (w *writer) drop(ctx context.Context, versions []sqlstore.Stale) error {
	var entries sqlstore.EntryRows
	last := index.Seq(0)
	for _, v := range versions {
		entries.Add(v.Seq, v.Entries)
		last = max(last, v.Seq)
	}
	if err := w.settleUpTo(ctx, last); err != nil {
		return err
	}
	return w.changeEntries(deleteEntry, entries.Sorted())
}

// Clear drops the entries of superseded versions.
func (w *writer) Clear(ctx context.Context, versions []sqlstore.Stale) error {
	if err := w.drop(ctx, versions); err != nil {
		return err
	}
	err := w.withStatement(updateEntries, func(s *statement) error {
		for _, v := range versions {
			s.bindBytes(1, nil)
			s.bindInt(2, int64(v.Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.withStatement(deleteSuperseded, func(s *statement) error {
		for _, v := range versions {
			s.bindInt(1, int64(v.Until))
			s.bindInt(2, int64(v.Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sole returns versions that are the only ones of their keys.
func (w *writer) Sole(_ context.Context, typ string, before index.Seq, limit int) ([]sqlstore.Stale, error) {
	var sole []sqlstore.Stale
	err := w.withStatement(selectSole, func(s *statement) (err error) {
		s.bindText(1, typ)
		s.bindInt(2, int64(before))
		s.bindInt(3, int64(limit))
		sole, err = appendStale(sole, s)
		return err
	})
	return sole, err
}

// Forget removes versions with their documents and entries.
func (w *writer) Forget(ctx context.Context, versions []sqlstore.Stale) error {
	if err := w.drop(ctx, versions); err != nil {
		return err
	}
	for _, sql := range []string{deleteDocument, deleteVersion} {
		err := w.withStatement(sql, func(s *statement) error {
			for _, v := range versions {
				s.bindInt(1, int64(v.Seq))
				if err := s.run(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Reindex replaces the search data of versions.
func (w *writer) Reindex(ctx context.Context, had []sqlstore.Stale, versions []resources.Reindexed) error {
	if err := w.drop(ctx, had); err != nil {
		return err
	}
	var entries sqlstore.EntryRows
	for _, v := range versions {
		entries.Add(v.Seq, v.Entries)
		entries.Add(0, v.Terms)
	}
	err := w.withStatement(updateEntries, func(s *statement) error {
		for i := range versions {
			s.bindBytes(1, sqlstore.Pack(versions[i].Entries))
			s.bindInt(2, int64(versions[i].Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = w.withStatement(updateValues, func(s *statement) error {
		for i := range versions {
			v := &versions[i]
			s.bindBytes(1, v.Values)
			s.bindInt(2, sqlstore.ValuesSum(v.Seq, v.Values))
			s.bindInt(3, int64(v.Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.changeEntries(insertEntry, entries.Sorted())
}

// SetMark sets a named value about the store.
func (w *writer) SetMark(_ context.Context, name, value string) error {
	return w.withStatement(upsertMark, func(s *statement) error {
		s.bindText(1, name)
		s.bindText(2, value)
		return s.run()
	})
}

// Commit commits durably: the write-ahead log is synced when it returns.
// Readers have the entries before, because they may begin before it returns.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.settleSome(ctx); err != nil {
		return err
	}
	undo := w.database.recent.add(w.own, w.last)
	if err := w.conn.exec("COMMIT"); err != nil {
		undo()
		return err
	}
	return nil
}

// End rolls back what was not committed.
func (w *writer) End() {
	if !w.conn.inTransaction() {
		return
	}
	if err := w.conn.exec("ROLLBACK"); err != nil {
		w.conn.close()
		w.database.writer = nil // the next transaction opens it again
	}
}
