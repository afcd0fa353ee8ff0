package sqlite

import (
	"context"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

const (
	walkVersions = `SELECT v.seq, v.type, v.id, v.version_id, v.until, v.deleted, v.vals, v.vals_sum,
	d.seq IS NULL, d.entries, d.body, v.body_sum, coalesce(p.seq, 0), coalesce(n.seq, 0)
FROM version v LEFT JOIN document d ON d.seq = v.seq
LEFT JOIN version p ON p.type = v.type AND p.id = v.id AND p.version_id = v.version_id - 1
LEFT JOIN version n ON n.type = v.type AND n.id = v.id AND n.version_id = v.version_id + 1
WHERE v.seq > ? ORDER BY v.seq LIMIT ?`
	findEntry = `SELECT 1 FROM entry WHERE entry = ? AND seq = ?`
	fillSums  = `UPDATE version SET body_sum = coalesce(body_sum, ?), vals_sum = coalesce(vals_sum, ?) WHERE seq = ?`
)

// Walk calls fn for versions after a Seq.
func (r *reader) Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error {
	s, err := r.conn.prepare(walkVersions)
	if err != nil {
		return err
	}
	defer s.release()
	find, err := r.conn.prepare(findEntry)
	if err != nil {
		return err
	}
	defer find.release()
	s.bindInt(1, int64(after))
	s.bindInt(2, int64(limit))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := s.step()
		if err != nil || !row {
			return err
		}
		v := &resources.StoredVersion{
			Record: index.Record{
				Seq: index.Seq(s.int(0)), Type: s.text(1), ID: s.text(2), VersionID: s.int(3),
				Until: index.Seq(s.int(4)), Deleted: s.int(5) != 0, Values: s.bytes(6), Body: s.bytes(10),
			},
			ValuesSum: s.int(7), NoDocument: s.int(8) != 0, Packed: s.bytes(9), DocumentSum: s.int(11),
			Former: index.Seq(s.int(12)), Next: index.Seq(s.int(13)),
		}
		v.LastUpdated = v.Seq.Time()
		if v.MissingEntries, err = r.missing(find, v); err != nil {
			return err
		}
		if more, err := fn(v); err != nil || !more {
			return err
		}
	}
}

// missing returns the number of entries of a version that should be in the table.
func (r *reader) missing(find *statement, v *resources.StoredVersion) (n int, err error) {
	entries, err := sqlstore.Unpack(v.Packed)
	if err != nil {
		return 0, nil //nolint:nilerr // the caller unpacks them too
	}
	for _, e := range entries {
		if !r.recent.table.has(e, v.Seq) {
			continue
		}
		find.bindBytes(1, e)
		find.bindInt(2, int64(v.Seq))
		row, err := find.step()
		find.reset()
		if err != nil {
			return n, err
		}
		if !row {
			n++
		}
	}
	return n, nil
}

// FillSums sets the checksums that versions lack.
func (w *writer) FillSums(_ context.Context, sums []sqlstore.Summed) error {
	return w.withStatement(fillSums, func(s *statement) error {
		for _, v := range sums {
			s.bindInt(1, v.Document)
			s.bindInt(2, v.Values)
			s.bindInt(3, int64(v.Seq))
			if err := s.run(); err != nil {
				return err
			}
		}
		return nil
	})
}
