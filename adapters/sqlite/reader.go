package sqlite

import (
	"context"
	"math"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// reader is a connection in a transaction.
type reader struct {
	conn     *conn
	database *database // owner of the connection
	at       index.Seq
	recent   overlay
}

var _ sqlstore.Reader = (*reader)(nil)

const selectLast = "SELECT max(seq), (SELECT value FROM mark WHERE name = '" + settledMark + "') FROM version"

// begin begins the transaction and reads the last Seq, which fixes the snapshot. It begins again if
// entries have come to the table meanwhile.
func (r *reader) begin(sql string) (*recentState, error) {
	for {
		if err := r.conn.exec(sql); err != nil {
			return nil, err
		}
		if err := r.readLast(); err != nil {
			return nil, err
		}
		state, err := r.database.recent.of(&r.recent.table, r.at, r.loadEntries)
		if err != nil {
			return nil, err
		}
		if state != nil {
			r.recent.runs, r.recent.upTo = state.runs, r.at
			return state, nil
		}
		if err := r.conn.exec("ROLLBACK"); err != nil {
			return nil, err
		}
	}
}

func (r *reader) readLast() error {
	s, err := r.conn.prepare(selectLast)
	if err != nil {
		return err
	}
	defer s.release()
	if _, err := s.step(); err != nil {
		return err
	}
	r.at = index.Seq(s.int(0))
	r.recent.table, err = parseSettled(s.text(1))
	return err
}

// loadEntries calls fn with the entries of versions after a Seq. What is damaged has none: Verify tells of it.
func (r *reader) loadEntries(after, last index.Seq, fn func(index.Seq, [][]byte)) error {
	s, err := r.conn.prepare("SELECT seq, entries FROM document WHERE seq > ? AND seq <= ? ORDER BY seq")
	if err != nil {
		return err
	}
	defer s.release()
	s.bindInt(1, int64(after))
	s.bindInt(2, int64(last))
	for {
		row, err := s.step()
		if err != nil || !row {
			return err
		}
		if entries, err := sqlstore.Unpack(s.bytes(1)); err == nil {
			fn(index.Seq(s.int(0)), entries)
		}
	}
}

// End ends the transaction and releases the connection.
func (r *reader) End() {
	if r.conn.inTransaction() {
		if err := r.conn.exec("COMMIT"); err != nil {
			r.conn.pooled = false // the connection is unusable
			<-r.database.slots
		}
	}
	r.database.release(r.conn)
}

// At returns the Seq of the last version.
func (r *reader) At() index.Seq { return r.at }

// checkEvery is the number of rows between two checks of the context in a long scan.
const checkEvery = 1024

// Scan scans the table entry.
func (r *reader) Scan(ctx context.Context, in index.Range, fn func([]byte, index.Seq) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	sql, args := sqlstore.ScanSQL(&in)
	s, err := r.conn.prepare(sql)
	if err != nil {
		return err
	}
	defer s.release()
	for i, arg := range args {
		switch v := arg.(type) {
		case []byte:
			s.bindBytes(i+1, v)
		case int64:
			s.bindInt(i+1, v)
		}
	}
	var places [maxPlaces]cursor
	recent := r.recent.open(&in, places[:0])
	for n := 1; ; n++ {
		more, err := s.step()
		if err != nil {
			return err
		}
		var x row
		if more {
			x = row{Bytes: s.view(0), Seq: index.Seq(s.int(1))}
		}
		for ; recent.more && (!more || recent.before(x)); recent.advance() {
			if !fn(recent.next.Bytes, recent.next.Seq) {
				return nil
			}
			if n++; n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if !more || !fn(x.Bytes, x.Seq) {
			return nil
		}
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// ScanMany scans many ranges with one statement.
func (r *reader) ScanMany(ctx context.Context, ranges []index.Range, limit int, fn func(int, []byte, index.Seq) bool) error {
	s, err := r.conn.prepare("SELECT entry, seq FROM entry WHERE entry >= ? AND entry < ? ORDER BY entry, seq")
	if err != nil {
		return err
	}
	defer s.release()
	n := 0
	give := func(i int, x row) bool {
		n++
		return fn(i, x.Bytes, x.Seq) && n != limit
	}
	var places [maxPlaces]cursor
	for i := range ranges {
		from, to := sqlstore.Bounds(&ranges[i])
		s.bindBytes(1, from)
		s.bindBytes(2, to)
		recent := r.recent.open(&index.Range{From: from, To: to}, places[:0])
		for {
			more, err := s.step()
			if err != nil {
				return err
			}
			var x row
			if more {
				x = row{Bytes: s.view(0), Seq: index.Seq(s.int(1))}
			}
			for ; recent.more && (!more || recent.before(x)); recent.advance() {
				if !give(i, recent.next) {
					return nil
				}
				if n%checkEvery == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
			}
			if !more {
				break
			}
			if !give(i, x) {
				return nil
			}
			if n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		}
		s.reset()
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Load returns versions by their Seq.
func (r *reader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	return each(ctx, r, "SELECT "+columns[parts]+" WHERE v.seq = ?", parts, seqs, func(s *statement, seq index.Seq) {
		s.bindInt(1, int64(seq))
	})
}

// Find returns the newest versions of keys.
func (r *reader) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	const newest = " WHERE v.type = ? AND v.id = ? ORDER BY v.version_id DESC LIMIT 1"
	records, err := each(ctx, r, "SELECT "+columns[parts]+newest, parts, keys, func(s *statement, key resources.Key) {
		s.bindText(1, key.Type)
		s.bindText(2, key.ID)
	})
	for i := range records {
		if err := sqlstore.CheckNewest(&records[i]); err != nil {
			return nil, err
		}
	}
	return records, err
}

// each runs a statement that returns at most one row for each element of a list.
func each[T any](ctx context.Context, r *reader, sql string, parts index.Parts, list []T, bind func(*statement, T)) ([]index.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := r.conn.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer s.release()
	records := make([]index.Record, len(list))
	for i, x := range list {
		bind(s, x)
		row, err := s.step()
		if err != nil {
			return nil, err
		}
		if row {
			if records[i], err = record(ctx, s, parts, &r.database.sums); err != nil {
				return nil, err
			}
		}
		s.reset()
		if (i+1)%checkEvery == 0 || len(records[i].Body) > index.SmallBody {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return records, nil
}

// Versions returns a history.
func (r *reader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	where, n := " WHERE", 1
	if q.Type != "" {
		where += " v.type = ? AND"
	}
	if q.ID != "" {
		where += " v.id = ? AND"
	}
	rest := " v.seq >= ? AND v.seq < ? ORDER BY v.seq DESC LIMIT ?"
	if q.ID != "" { // +, so that SQLite looks for the key, and not through all versions of that time
		rest = " +v.seq >= ? AND +v.seq < ? ORDER BY v.version_id DESC LIMIT ?"
	}
	s, err := r.conn.prepare("SELECT " + columns[q.Parts] + where + rest)
	if err != nil {
		return nil, err
	}
	defer s.release()
	for _, word := range []string{q.Type, q.ID} {
		if word != "" {
			s.bindText(n, word)
			n++
		}
	}
	before, limit := int64(q.Before), int64(q.Limit)
	if before <= 0 {
		before = math.MaxInt64
	}
	if limit <= 0 {
		limit = -1
	}
	s.bindInt(n, int64(q.Since))
	s.bindInt(n+1, before)
	s.bindInt(n+2, limit)
	var records []index.Record
	for {
		row, err := s.step()
		if err != nil || !row {
			return records, err
		}
		x, err := record(ctx, s, q.Parts, &r.database.sums)
		if err != nil {
			return nil, err
		}
		records = append(records, x)
		if len(records)%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
}

// List returns the current versions of a type with their sizes.
func (r *reader) List(ctx context.Context, typ, after string, limit int) ([]sqlstore.VersionSize, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := r.conn.prepare(`SELECT v.seq, length(d.body) FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.id > ? AND v.until = 9223372036854775807 AND v.deleted = 0 ORDER BY v.id LIMIT ?`)
	if err != nil {
		return nil, err
	}
	defer s.release()
	s.bindText(1, typ)
	s.bindText(2, after)
	s.bindInt(3, int64(limit))
	var listed []sqlstore.VersionSize
	for {
		row, err := s.step()
		if err != nil || !row {
			return listed, err
		}
		listed = append(listed, sqlstore.VersionSize{Seq: index.Seq(s.int(0)), Size: int(s.int(1))})
	}
}

// Count counts the current versions of a type.
func (r *reader) Count(ctx context.Context, typ string) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s, err := r.conn.prepare("SELECT count(*) FROM version WHERE type = ? AND until = 9223372036854775807 AND deleted = 0")
	if err != nil {
		return 0, err
	}
	defer s.release()
	s.bindText(1, typ)
	_, err = s.step()
	return int(s.int(0)), err
}
