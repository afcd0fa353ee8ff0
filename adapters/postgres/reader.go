package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// reader is a connection in a transaction.
type reader struct {
	conn     *pgxpool.Conn
	database *database
	at       index.Seq
	// shared is set if several callers use the transaction. A caller that goes away must not close
	// the connection, which is what the driver would do.
	shared bool
	// pending statements are sent together with the next one, to save round trips.
	pending []pending
	// ended is set when the transaction was ended with its last query. If there is another, it begins a new
	// transaction.
	ended bool
}

type pending struct {
	sql  string
	args []any
}

var (
	_ sqlstore.Reader  = (*reader)(nil)
	_ index.LastLoader = (*reader)(nil)
)

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// enqueue runs a statement before the next query.
func (r *reader) enqueue(sql string, args ...any) { r.pending = append(r.pending, pending{sql, args}) }

// query runs the pending statements and a query, and calls fn for each row.
func (r *reader) query(ctx context.Context, fn func(pgx.Rows) error, sql string, args ...any) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.shared {
		limited, cancel := statementContext(ctx)
		ctx = limited
		defer cancel()
		defer func() {
			if err != nil && limited.Err() != nil {
				err = fmt.Errorf("%w: %s", sqlstore.ErrInterrupted, err.Error())
			}
		}()
	}
	if r.ended {
		r.ended = false
		r.enqueue(beginReading)
	}
	if len(r.pending) == 0 {
		rows, err := r.conn.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		return eachRow(rows, fn)
	}
	return r.batch(ctx, fn, pending{sql, args})
}

// lastQuery runs a query and ends the transaction.
func (r *reader) lastQuery(ctx context.Context, fn func(pgx.Rows) error, sql string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := r.batch(ctx, fn, pending{sql, args}, pending{sql: "COMMIT"})
	r.ended = err == nil
	return err
}

// batch sends the pending statements, a query, and what follows it. It calls fn for each row of the query.
func (r *reader) batch(ctx context.Context, fn func(pgx.Rows) error, query pending, after ...pending) (err error) {
	var batch pgx.Batch
	for _, p := range slices.Concat(r.pending, []pending{query}, after) {
		batch.Queue(p.sql, p.args...)
	}
	results := r.conn.SendBatch(ctx, &batch)
	defer func() { // it also reads the results of what follows
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

// statementTime is the longest time for a statement that several callers share.
const statementTime = 30 * time.Second

// statementContext returns the context of a statement that several callers share. It ends at the
// deadline of the caller, but not when the caller goes away.
func statementContext(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(statementTime)
	if own, ok := ctx.Deadline(); ok && own.Before(end) {
		end = own
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
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

// At returns the Seq of the last version.
func (r *reader) At() index.Seq { return r.at }

// Batch sizes of scans. The first batch is small, because many scans end early: it is as large as what a plan
// reads of a criterion to find out which has few.
const (
	firstBatch = 256
	maxBatch   = 10_000
)

// Scan scans the table entry in batches.
func (r *reader) Scan(ctx context.Context, in index.Range, fn func([]byte, index.Seq) bool) error {
	for limit := firstBatch; ; limit = min(4*limit, maxBatch) {
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

// rangesPerStatement is the number of ranges that one statement scans.
const rangesPerStatement = 2_000

const scanMany = `SELECT e.entry, e.seq, k.n
FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS k (low, high, n)
CROSS JOIN LATERAL (
	SELECT entry, seq FROM entry WHERE entry >= k.low AND entry < k.high ORDER BY entry, seq LIMIT $3
) e LIMIT $3`

// scanSingleEntries does the same for ranges that can contain only one entry value. It takes two
// thirds of the time.
const scanSingleEntries = `SELECT entry, seq FROM entry WHERE entry = ANY($1) ORDER BY entry, seq LIMIT $2`

// ScanMany scans many ranges, some thousands per statement.
func (r *reader) ScanMany(ctx context.Context, ranges []index.Range, limit int, fn func(int, []byte, index.Seq) bool) error {
	if limit <= 0 {
		limit = math.MaxInt32
	}
	for first := 0; first < len(ranges) && limit > 0; first += rangesPerStatement {
		part := ranges[first:min(first+rangesPerStatement, len(ranges))]
		from, to := make([][]byte, len(part)), make([][]byte, len(part))
		singles := make(map[string]int64, len(part)) // range numbers, from 1
		for i := range part {
			from[i], to[i] = sqlstore.Bounds(&part[i])
			if part[i].Single() {
				singles[string(from[i])] = int64(i + 1)
			}
		}
		var batch entryBatch
		var err error
		if len(singles) == len(part) { // this also means that no range occurs twice
			err = r.query(ctx, batch.add, scanSingleEntries, from, limit)
		} else {
			err = r.query(ctx, batch.add, scanMany, from, to, limit)
		}
		if err != nil {
			return err
		}
		if len(singles) == len(part) {
			batch.rangeNumbers = make([]int64, len(batch.seqs))
			for i := range batch.rangeNumbers {
				batch.rangeNumbers[i] = singles[string(batch.entry(i))]
			}
		}
		for i, seq := range batch.seqs {
			if !fn(first+int(batch.rangeNumbers[i])-1, batch.entry(i), seq) {
				return nil
			}
		}
		limit -= len(batch.seqs)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// entryBatch stores entries in one buffer.
type entryBatch struct {
	bytes        []byte
	ends         []int
	seqs         []index.Seq
	rangeNumbers []int64 // from 1; only for scans of many ranges
}

// add adds a row with an entry, its Seq, and possibly the number of its range.
func (b *entryBatch) add(rows pgx.Rows) error {
	raw := rows.RawValues()
	for _, field := range rows.FieldDescriptions() {
		if field.Format != pgx.BinaryFormatCode {
			return b.addText(rows, len(raw))
		}
	}
	b.append(raw[0], index.Seq(binary.BigEndian.Uint64(raw[1]))) //nolint:gosec // a bigint in its 8 bytes
	if len(raw) > 2 {
		b.rangeNumbers = append(b.rangeNumbers, int64(binary.BigEndian.Uint64(raw[2]))) //nolint:gosec // a bigint in its 8 bytes
	}
	return nil
}

// addText adds a row that is not in binary format.
func (b *entryBatch) addText(rows pgx.Rows, columns int) error {
	var entry []byte
	var seq, of int64
	if err := rows.Scan([]any{&entry, &seq, &of}[:columns]...); err != nil {
		return err
	}
	b.append(entry, index.Seq(seq))
	if columns > 2 {
		b.rangeNumbers = append(b.rangeNumbers, of)
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

// bodySize is the size of a body, and smallBody the body if it is small, else null. PostgreSQL
// knows the size without reading the body.
var (
	bodySize  = "coalesce(octet_length(d.body), 0)"
	smallBody = fmt.Sprintf("CASE WHEN octet_length(d.body) <= %d THEN d.body END", index.SmallBody)
)

// newestOfKeys are the newest versions of keys. Only one index serves it, once for each key.
const newestOfKeys = `unnest($1::text[], $2::text[]) AS k (type, id) CROSS JOIN LATERAL (
	SELECT * FROM version n WHERE n.type = k.type AND n.id = k.id ORDER BY n.version_id DESC LIMIT 1) v`

// columns returns the columns of a record. values and body are null, and the size is 0, unless
// requested.
func columns(parts index.Parts) string { return columnsFrom("version v", parts) }

func columnsFrom(versions string, parts index.Parts) string {
	values, body, size, join := "NULL::bytea, NULL::bigint", "NULL::bytea, NULL::bigint", "0", ""
	if parts&index.WithValues != 0 {
		values = "v.vals, v.vals_sum"
	}
	if parts&^index.WithValues != 0 {
		join = " JOIN document d ON d.seq = v.seq"
	}
	switch {
	case parts&index.WithBody != 0:
		body = "d.body, v.body_sum"
	case parts&index.WithSmallBody != 0:
		body = smallBody + ", v.body_sum"
	}
	if parts&(index.WithSize|index.WithSmallBody) != 0 {
		size = bodySize
	}
	return "v.seq, v.type, v.id, v.version_id, v.until, v.deleted, " + values + ", " + body + ", " + size + " FROM " + versions + join
}

// record decodes a row of columns and compares the checksums of the parts. It borrows the memory for
// large values.
func (d *database) record(ctx context.Context, rows pgx.Rows, parts index.Parts) (index.Record, error) {
	var (
		r             index.Record
		deleted       int16
		values, whole pgtype.Int8 // 0 if null
	)
	err := rows.Scan((*int64)(&r.Seq), &r.Type, &r.ID, &r.VersionID, (*int64)(&r.Until), &deleted, &r.Values, &values, &r.Body, &whole, &r.Size)
	r.Deleted = deleted != 0
	r.LastUpdated = r.Seq.Time()
	if err == nil {
		err = budget.Borrow(ctx, int64(len(r.Values)))
	}
	if err == nil && parts&index.WithValues != 0 {
		err = d.sums.CheckValues(&r, values.Int64)
	}
	if err == nil {
		err = d.sums.CheckPart(&r, parts, whole.Int64)
	}
	return r, err
}

// Load returns versions by their Seq.
func (r *reader) Load(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	return r.load(ctx, r.query, seqs, parts)
}

// LoadLast is Load and the end of the transaction.
func (r *reader) LoadLast(ctx context.Context, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	if r.shared || r.ended {
		return r.Load(ctx, seqs, parts)
	}
	return r.load(ctx, r.lastQuery, seqs, parts)
}

type queryFunc func(ctx context.Context, fn func(pgx.Rows) error, sql string, args ...any) error

func (r *reader) load(ctx context.Context, query queryFunc, seqs []index.Seq, parts index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	if len(seqs) == 0 {
		return records, ctx.Err()
	}
	wanted := make([]int64, len(seqs))
	for i, seq := range seqs {
		wanted[i] = int64(seq)
	}
	there := make(map[index.Seq]index.Record, len(seqs))
	err := query(ctx, func(rows pgx.Rows) error {
		x, err := r.database.record(ctx, rows, parts)
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
		x, err := r.database.record(ctx, rows, parts)
		if err == nil {
			err = sqlstore.CheckNewest(&x)
		}
		there[resources.Key{Type: x.Type, ID: x.ID}] = x
		return err
	}, "SELECT "+columnsFrom(newestOfKeys, parts), types, ids)
	for i, key := range keys {
		records[i] = there[key]
	}
	return records, err
}

// selectVersions returns the statement for a history with its arguments. If its plan is made for any type
// (see planning), the history of a type compares rows, or the plan may walk all versions to find one of few.
func selectVersions(q *index.VersionsRequest, generic bool) (sql string, args []any) {
	before := int64(q.Before)
	if before <= 0 {
		before = math.MaxInt64
	}
	sql, args = "SELECT "+columns(q.Parts), []any{int64(q.Since), before}
	if q.Type != "" {
		args = append(args, q.Type)
	}
	const within = " WHERE v.seq >= $1 AND v.seq < $2"
	switch {
	case q.ID != "":
		args = append(args, q.ID)
		sql += within + " AND v.type = $3 AND v.id = $4 ORDER BY v.version_id DESC"
	case q.Type != "" && generic:
		sql += " WHERE (v.type, v.seq) >= ($3, $1) AND (v.type, v.seq) < ($3, $2) ORDER BY v.type DESC, v.seq DESC"
	case q.Type != "":
		sql += within + " AND v.type = $3 ORDER BY v.seq DESC"
	default:
		sql += within + " ORDER BY v.seq DESC"
	}
	if q.Limit > 0 {
		sql += " LIMIT " + strconv.Itoa(q.Limit)
	}
	return sql, args
}

// Versions returns a history.
func (r *reader) Versions(ctx context.Context, q index.VersionsRequest) ([]index.Record, error) {
	sql, args := selectVersions(&q, r.database.generic)
	var records []index.Record
	err := r.query(ctx, func(rows pgx.Rows) error {
		x, err := r.database.record(ctx, rows, q.Parts)
		records = append(records, x)
		return err
	}, sql, args...)
	return records, err
}

// List returns the current versions of a type with their sizes.
func (r *reader) List(ctx context.Context, typ, after string, limit int) ([]sqlstore.VersionSize, error) {
	var listed []sqlstore.VersionSize
	err := r.query(ctx, func(rows pgx.Rows) error {
		var x sqlstore.VersionSize
		err := rows.Scan((*int64)(&x.Seq), &x.Size)
		listed = append(listed, x)
		return err
	}, `SELECT v.seq, octet_length(d.body) FROM version v JOIN document d ON d.seq = v.seq
WHERE v.type = $1 AND v.id > $2 AND v.until = 9223372036854775807 AND v.deleted = 0 ORDER BY v.id LIMIT $3`, typ, after, limit)
	return listed, err
}

// Count counts the current versions of a type.
func (r *reader) Count(ctx context.Context, typ string) (n int, err error) {
	err = r.query(ctx, func(rows pgx.Rows) error { return rows.Scan(&n) },
		"SELECT count(*) FROM version WHERE type = $1 AND until = 9223372036854775807 AND deleted = 0", typ)
	return n, err
}
