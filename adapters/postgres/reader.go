package postgres

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// reader is a connection in a transaction.
type reader struct {
	conn *pgxpool.Conn
	at   index.Seq
	// shared says that several callers use the transaction: the end of the context of one
	// must not end the connection, as the driver would have it.
	shared bool
	// pending are statements that go along with the next one, so that they take no time of
	// their own on the way.
	pending []pending
}

type pending struct {
	sql  string
	args []any
}

var _ sqlstore.Reader = (*reader)(nil)

// later runs a statement before the next query.
func (r *reader) later(sql string, args ...any) { r.pending = append(r.pending, pending{sql, args}) }

// query runs what is pending and a statement, and calls fn for each of its rows.
func (r *reader) query(ctx context.Context, fn func(pgx.Rows) error, sql string, args ...any) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.shared {
		ctx = context.WithoutCancel(ctx)
	}
	if len(r.pending) == 0 {
		rows, err := r.conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		return eachRow(rows, fn)
	}
	var batch pgx.Batch
	for _, p := range r.pending {
		batch.Queue(p.sql, p.args...)
	}
	batch.Queue(sql, args...)
	results := r.conn.SendBatch(ctx, &batch)
	defer func() {
		if closeErr := results.Close(); err == nil {
			err = closeErr
		}
	}()
	for range r.pending {
		if _, err := results.Exec(); err != nil {
			return err
		}
	}
	r.pending = r.pending[:0]
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return eachRow(rows, fn)
}

func eachRow(rows pgx.Rows, fn func(pgx.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	rows.Close()
	return rows.Err()
}

// At is the Seq of the last version.
func (r *reader) At() index.Seq { return r.at }

// How many entries are fetched at once: few first, since many scans end soon.
const (
	scanFirst = 200
	scanMost  = 10_000
)

// Scan walks along the table of entries, batch by batch.
func (r *reader) Scan(ctx context.Context, in index.Range, fn func([]byte, index.Seq) bool) error {
	for limit := scanFirst; ; limit = min(4*limit, scanMost) {
		batch := entryBatch{bytes: make([]byte, 0, 24*limit), ends: make([]int, 0, limit), seqs: make([]index.Seq, 0, limit)}
		sql, args := sqlstore.ScanSQL(&in)
		sql += " LIMIT " + strconv.Itoa(limit)
		if err := r.query(ctx, batch.add, sql, args...); err != nil {
			return err
		}
		var last []byte
		for i, seq := range batch.seqs {
			last = batch.entry(i)
			if !fn(last, seq) {
				return nil
			}
		}
		if err := ctx.Err(); err != nil || len(batch.seqs) < limit {
			return err
		}
		in.After, in.AfterSeq = last, batch.seqs[len(batch.seqs)-1]
	}
}

// manyRanges is how many ranges are looked at by one statement.
const manyRanges = 2_000

const scanMany = `SELECT e.entry, e.seq, k.n
FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS k (low, high, n)
CROSS JOIN LATERAL (
	SELECT entry, seq FROM entry WHERE entry >= k.low AND entry < k.high ORDER BY entry, seq LIMIT $3
) e LIMIT $3`

// scanSingles does the same where each range has room for one entry value only, in two
// thirds of the time.
const scanSingles = `SELECT entry, seq FROM entry WHERE entry = ANY($1) ORDER BY entry, seq LIMIT $2`

// ScanMany walks along many ranges, some thousands by one statement.
func (r *reader) ScanMany(ctx context.Context, ranges []index.Range, most int, fn func(int, []byte, index.Seq) bool) error {
	if most <= 0 {
		most = math.MaxInt32
	}
	for first := 0; first < len(ranges) && most > 0; first += manyRanges {
		part := ranges[first:min(first+manyRanges, len(ranges))]
		from, to := make([][]byte, len(part)), make([][]byte, len(part))
		singles := make(map[string]int64, len(part)) // numbers of ranges, from 1
		for i := range part {
			from[i], to[i] = sqlstore.Bounds(&part[i])
			if part[i].Single() {
				singles[string(from[i])] = int64(i + 1)
			}
		}
		var batch entryBatch
		var err error
		if len(singles) == len(part) { // none is there twice, too
			err = r.query(ctx, batch.add, scanSingles, from, most)
		} else {
			err = r.query(ctx, batch.add, scanMany, from, to, most)
		}
		if err != nil {
			return err
		}
		if len(singles) == len(part) {
			batch.of = make([]int64, len(batch.seqs))
			for i := range batch.of {
				batch.of[i] = singles[string(batch.entry(i))]
			}
		}
		for i, seq := range batch.seqs {
			if !fn(first+int(batch.of[i])-1, batch.entry(i), seq) {
				return nil
			}
		}
		most -= len(batch.seqs)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// entryBatch holds entries one behind the other.
type entryBatch struct {
	bytes []byte
	ends  []int
	seqs  []index.Seq
	of    []int64 // numbers of their ranges, from 1, where there are many
}

// add adds a row of an entry, its Seq, and perhaps the number of its range.
func (b *entryBatch) add(rows pgx.Rows) error {
	raw := rows.RawValues()
	for _, field := range rows.FieldDescriptions() {
		if field.Format != pgx.BinaryFormatCode {
			return b.addText(rows, len(raw))
		}
	}
	b.append(raw[0], index.Seq(binary.BigEndian.Uint64(raw[1])))
	if len(raw) > 2 {
		b.of = append(b.of, int64(binary.BigEndian.Uint64(raw[2])))
	}
	return nil
}

// addText adds a row that does not come as bytes.
func (b *entryBatch) addText(rows pgx.Rows, columns int) error {
	var entry []byte
	var seq, of int64
	if err := rows.Scan([]any{&entry, &seq, &of}[:columns]...); err != nil {
		return err
	}
	b.append(entry, index.Seq(seq))
	if columns > 2 {
		b.of = append(b.of, of)
	}
	return nil
}

func (b *entryBatch) append(entry []byte, seq index.Seq) {
	b.bytes = append(b.bytes, entry...)
	b.ends = append(b.ends, len(b.bytes))
	b.seqs = append(b.seqs, seq)
}

func (b *entryBatch) entry(i int) []byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.bytes[start:b.ends[i]:b.ends[i]]
}

// columns of a record; values and body are null when they are not asked for.
func columns(parts index.Parts) string {
	values, body, join := "NULL::bytea", "NULL::bytea", ""
	if parts&index.WithValues != 0 {
		values = "v.vals"
	}
	if parts&index.WithBody != 0 {
		body, join = "d.body", " JOIN document d ON d.seq = v.seq"
	}
	return "v.seq, v.type, v.id, v.version_id, v.until, v.deleted, " + values + ", " + body + " FROM version v" + join
}

// record reads a row of columns.
func record(rows pgx.Rows) (index.Record, error) {
	var r index.Record
	var deleted int16
	err := rows.Scan((*int64)(&r.Seq), &r.Type, &r.ID, &r.VersionID, (*int64)(&r.Until), &deleted, &r.Values, &r.Body)
	r.Deleted = deleted != 0
	r.LastUpdated = r.Seq.Time()
	return r, err
}

// Load returns versions by their Seq.
func (r *reader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	if len(seqs) == 0 {
		return records, ctx.Err()
	}
	wanted := make([]int64, len(seqs))
	for i, seq := range seqs {
		wanted[i] = int64(seq)
	}
	there := make(map[index.Seq]index.Record, len(seqs))
	err := r.query(ctx, func(rows pgx.Rows) error {
		x, err := record(rows)
		there[x.Seq] = x
		return err
	}, "SELECT "+columns(parts)+" WHERE v.seq = ANY($1)", wanted)
	for i, seq := range seqs {
		records[i] = there[seq]
	}
	return records, err
}

// Find returns the newest versions of keys.
func (r *reader) Find(ctx context.Context, keys []resources.Key, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(keys))
	if len(keys) == 0 {
		return records, ctx.Err()
	}
	types, ids := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		types[i], ids[i] = key.Type, key.ID
	}
	there := make(map[resources.Key]index.Record, len(keys))
	err := r.query(ctx, func(rows pgx.Rows) error {
		x, err := record(rows)
		there[resources.Key{Type: x.Type, ID: x.ID}] = x
		return err
	}, `SELECT `+columns(parts)+` WHERE v.seq IN (
	SELECT (SELECT max(n.seq) FROM version n WHERE n.type = k.type AND n.id = k.id)
	FROM unnest($1::text[], $2::text[]) AS k (type, id))`, types, ids)
	for i, key := range keys {
		records[i] = there[key]
	}
	return records, err
}

// Versions returns a history.
func (r *reader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	before := int64(q.Before)
	if before <= 0 {
		before = math.MaxInt64
	}
	sql, args := "SELECT "+columns(q.Parts)+" WHERE v.seq >= $1 AND v.seq < $2", []any{int64(q.Since), before}
	if q.Type != "" {
		args = append(args, q.Type)
		sql += " AND v.type = $3"
	}
	if q.ID != "" {
		args = append(args, q.ID)
		sql += " AND v.id = $4 ORDER BY v.version_id DESC"
	} else {
		sql += " ORDER BY v.seq DESC"
	}
	if q.Limit > 0 {
		sql += " LIMIT " + strconv.Itoa(q.Limit)
	}
	var records []index.Record
	err := r.query(ctx, func(rows pgx.Rows) error {
		x, err := record(rows)
		records = append(records, x)
		return err
	}, sql, args...)
	return records, err
}

// List returns where the current versions of a type are.
func (r *reader) List(ctx context.Context, typ, after string, limit int) ([]sqlstore.Listed, error) {
	var listed []sqlstore.Listed
	err := r.query(ctx, func(rows pgx.Rows) error {
		var x sqlstore.Listed
		err := rows.Scan((*int64)(&x.Seq), &x.Size)
		listed = append(listed, x)
		return err
	}, `SELECT v.seq, octet_length(d.body) FROM version v JOIN document d ON d.seq = v.seq
WHERE v.type = $1 AND v.id > $2 AND v.until = 9223372036854775807 AND v.deleted = 0 ORDER BY v.id LIMIT $3`, typ, after, limit)
	return listed, err
}
