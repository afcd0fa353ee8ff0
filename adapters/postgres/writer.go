package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// writer is a connection in the write transaction. Its statements are sent with the next query or
// the commit, which then returns their errors.
type writer struct {
	reader
	types map[string]bool // types written so far
	saved bool
}

var _ sqlstore.Writer = (*writer)(nil)

const (
	insertVersions = `INSERT INTO version (seq, type, id, version_id, until, deleted, vals, vals_sum, body_sum)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::smallint[], $7::bytea[], $8::bigint[], $9::bigint[])`
	insertDocuments = `INSERT INTO document (seq, entries, body)
SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])`
	insertEntries = `INSERT INTO entry (entry, seq) SELECT * FROM unnest($1::bytea[], $2::bigint[])`
	insertMissing = insertEntries + ` ON CONFLICT (entry, seq) DO NOTHING`
	deleteEntries = `DELETE FROM entry e USING unnest($1::bytea[], $2::bigint[]) AS u (entry, seq)
WHERE e.entry = u.entry AND e.seq = u.seq`
	updateUntil = `UPDATE version v SET until = u.until FROM unnest($1::bigint[], $2::bigint[]) AS u (until, seq)
WHERE v.seq = u.seq`
	insertSuperseded = `INSERT INTO superseded (until, seq) SELECT * FROM unnest($1::bigint[], $2::bigint[])`
	deleteSuperseded = `DELETE FROM superseded s USING unnest($1::bigint[], $2::bigint[]) AS u (until, seq)
WHERE s.until = u.until AND s.seq = u.seq`
	// supersedeFormer supersedes the versions before others. It divides by zero if one of them is not the newest.
	supersedeFormer = `WITH former AS (
	UPDATE version v SET until = u.until FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS u (type, id, version_id, until)
	WHERE v.type = u.type AND v.id = u.id AND v.version_id = u.version_id - 1 AND v.until = 9223372036854775807
	RETURNING v.until, v.seq
), added AS (INSERT INTO superseded (until, seq) SELECT until, seq FROM former)
SELECT 1 / (count(*) = $5)::int FROM former`
	updateEntries = `UPDATE document d SET entries = u.entries FROM unnest($1::bytea[], $2::bigint[]) AS u (entries, seq)
WHERE d.seq = u.seq`
	updateValues = `UPDATE version v SET vals = u.vals, vals_sum = u.sum FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) AS u (vals, sum, seq)
WHERE v.seq = u.seq`
	fillSums = `UPDATE version v SET vals_sum = coalesce(v.vals_sum, u.vals_sum), body_sum = coalesce(v.body_sum, u.body_sum)
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u (vals_sum, body_sum, seq) WHERE v.seq = u.seq`
	upsertMark       = `INSERT INTO mark (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
	selectSuperseded = `SELECT s.until, s.seq, d.entries FROM superseded s JOIN document d ON d.seq = s.seq
WHERE s.until < $1 ORDER BY s.until, s.seq LIMIT $2`
	// By rows for the reason of selectVersions. The sum keeps the plan from the index of keys.
	selectSole = `SELECT v.until, v.seq, d.entries FROM version v JOIN document d ON d.seq = v.seq
WHERE (v.type, v.seq) >= ($1, 0) AND (v.type, v.seq) < ($1, least($2, (SELECT max(seq) FROM version)))
	AND v.version_id + 0 = 1 AND v.until = 9223372036854775807 AND v.deleted = 0
ORDER BY v.type, v.seq LIMIT $3`
	deleteDocuments = `DELETE FROM document WHERE seq = ANY($1)`
	deleteVersions  = `DELETE FROM version WHERE seq = ANY($1)`
	selectEntries   = `SELECT v.until, v.seq, d.entries FROM version v JOIN document d ON d.seq = v.seq
WHERE v.seq = ANY($1) AND v.deleted = 0`
)

// Insert adds versions, table by table, and entries in the order of their index.
func (w *writer) Insert(_ context.Context, rows []sqlstore.Row) error {
	w.versions(rows)
	w.documents(rows)
	w.terms(rows)
	return nil
}

// versions inserts the rows of the table version, and then supersedes others, of which some may be among them.
func (w *writer) versions(rows []sqlstore.Row) {
	n := len(rows)
	if n == 0 {
		return
	}
	var (
		seqs, ids    = make([]int64, n), make([]string, n)
		types        = make([]string, n)
		versionIDs   = make([]int64, n)
		untils       = make([]int64, n)
		deleted      = make([]int16, n)
		values       = make([][]byte, n)
		valueSums    = make([]int64, n)
		bodySums     = make([]int64, n)
		newer, older []int64
		following    []int // indexes of rows
	)
	for i := range rows {
		r := &rows[i]
		seqs[i], types[i], ids[i], versionIDs[i], untils[i] = int64(r.Seq), r.Type, r.ID, r.VersionID, int64(r.Until)
		if r.Deleted {
			deleted[i] = 1
		}
		values[i], valueSums[i], bodySums[i] = r.Values, sqlstore.ValuesSum(r.Seq, r.Values), r.Sum
		w.types[r.Type] = true
		if r.Follows {
			following = append(following, i)
		}
		if r.Former > 0 {
			newer, older = append(newer, int64(r.Seq)), append(older, int64(r.Former))
		}
	}
	w.enqueue(insertVersions, seqs, types, ids, versionIDs, untils, deleted, values, valueSums, bodySums)
	if len(older) > 0 {
		w.enqueue(updateUntil, newer, older)
		w.enqueue(insertSuperseded, newer, older)
	}
	w.follow(rows, following)
}

// follow supersedes the versions that some rows follow.
func (w *writer) follow(rows []sqlstore.Row, following []int) {
	n := len(following)
	if n == 0 {
		return
	}
	types, ids, versionIDs, untils := make([]string, n), make([]string, n), make([]int64, n), make([]int64, n)
	for i, of := range following {
		r := &rows[of]
		types[i], ids[i], versionIDs[i], untils[i] = r.Type, r.ID, r.VersionID, int64(r.Seq)
	}
	w.enqueue(supersedeFormer, types, ids, versionIDs, untils, n)
}

// documents inserts documents and their entries.
func (w *writer) documents(rows []sqlstore.Row) {
	n := len(rows)
	seqs, packed, bodies := make([]int64, n), make([][]byte, n), make([][]byte, n)
	var entries sqlstore.EntryRows
	for i := range rows {
		r := &rows[i]
		seqs[i], packed[i], bodies[i] = int64(r.Seq), sqlstore.Pack(r.Entries), r.Body
		entries.Add(r.Seq, r.Entries)
	}
	w.enqueue(insertDocuments, seqs, packed, bodies)
	w.entries(insertEntries, entries)
}

// terms inserts the terms of the vocabulary that are not there.
func (w *writer) terms(rows []sqlstore.Row) {
	var terms sqlstore.EntryRows
	for i := range rows {
		terms.Add(0, rows[i].Terms)
	}
	w.entries(insertMissing, terms)
}

// entries runs a statement on rows of the table entry.
func (w *writer) entries(sql string, rows sqlstore.EntryRows) {
	if len(rows) == 0 {
		return
	}
	rows = rows.Sorted()
	entries, seqs := make([][]byte, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		entries[i], seqs[i] = r.Bytes, int64(r.Seq)
	}
	w.enqueue(sql, entries, seqs)
}

// Save sets a savepoint for Undo.
func (w *writer) Save(context.Context) error {
	if w.saved {
		w.enqueue("RELEASE SAVEPOINT job")
	}
	w.saved = true
	w.enqueue("SAVEPOINT job")
	return nil
}

// Undo rolls back to the savepoint.
func (w *writer) Undo(context.Context) error {
	w.enqueue("ROLLBACK TO SAVEPOINT job")
	return nil
}

// Superseded returns superseded versions that still have entries.
func (w *writer) Superseded(ctx context.Context, before index.Seq, limit int) ([]sqlstore.Stale, error) {
	return w.stale(ctx, selectSuperseded, int64(before), limit)
}

// Entries returns the entries of versions.
func (w *writer) Entries(ctx context.Context, seqs []index.Seq) ([]sqlstore.Stale, error) {
	wanted := make([]int64, len(seqs))
	for i, seq := range seqs {
		wanted[i] = int64(seq)
	}
	return w.stale(ctx, selectEntries, wanted)
}

func (w *writer) stale(ctx context.Context, sql string, args ...any) ([]sqlstore.Stale, error) {
	var stale []sqlstore.Stale
	err := w.query(ctx, func(rows pgx.Rows) error {
		var x sqlstore.Stale
		var packed []byte
		if err := rows.Scan((*int64)(&x.Until), (*int64)(&x.Seq), &packed); err != nil {
			return err
		}
		var err error
		x.Entries, err = sqlstore.Unpack(packed)
		stale = append(stale, x)
		return err
	}, sql, args...)
	return stale, err
}

// Clear drops the entries of superseded versions.
func (w *writer) Clear(_ context.Context, versions []sqlstore.Stale) error {
	untils, seqs := make([]int64, len(versions)), make([]int64, len(versions))
	for i, v := range versions {
		untils[i], seqs[i] = int64(v.Until), int64(v.Seq)
	}
	w.drop(versions)
	w.enqueue(updateEntries, make([][]byte, len(versions)), seqs)
	w.enqueue(deleteSuperseded, untils, seqs)
	return nil
}

// drop deletes the entries of versions.
func (w *writer) drop(versions []sqlstore.Stale) {
	var entries sqlstore.EntryRows
	for _, v := range versions {
		entries.Add(v.Seq, v.Entries)
	}
	w.entries(deleteEntries, entries)
}

// Sole returns versions that are the only ones of their keys.
func (w *writer) Sole(ctx context.Context, typ string, before index.Seq, limit int) ([]sqlstore.Stale, error) {
	return w.stale(ctx, selectSole, typ, int64(before), limit)
}

// Forget removes versions with their documents and entries.
func (w *writer) Forget(_ context.Context, versions []sqlstore.Stale) error {
	seqs := make([]int64, len(versions))
	for i, v := range versions {
		seqs[i] = int64(v.Seq)
	}
	w.drop(versions)
	w.enqueue(deleteDocuments, seqs)
	w.enqueue(deleteVersions, seqs)
	return nil
}

// Reindex replaces the search data of versions.
func (w *writer) Reindex(_ context.Context, had []sqlstore.Stale, versions []resources.Reindexed) error {
	w.drop(had)
	var entries sqlstore.EntryRows
	n := len(versions)
	seqs, packed, values, sums := make([]int64, n), make([][]byte, n), make([][]byte, n), make([]int64, n)
	for i, v := range versions {
		seqs[i], packed[i], values[i], sums[i] = int64(v.Seq), sqlstore.Pack(v.Entries), v.Values, sqlstore.ValuesSum(v.Seq, v.Values)
		entries.Add(v.Seq, v.Entries)
		entries.Add(0, v.Terms)
	}
	w.enqueue(updateEntries, packed, seqs)
	w.enqueue(updateValues, values, sums, seqs)
	w.entries(insertMissing, entries)
	return nil
}

// SetMark sets a named value about the store.
func (w *writer) SetMark(_ context.Context, name, value string) error {
	w.enqueue(upsertMark, name, value)
	return nil
}

// Commit commits durably. Listeners are notified soon.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.query(ctx, func(pgx.Rows) error { return nil }, "COMMIT"); err != nil {
		return err
	}
	if status := w.conn.Conn().PgConn().TxStatus(); status != 'I' {
		return fmt.Errorf("PostgreSQL: the transaction has status %q after COMMIT", status)
	}
	w.database.notices.add(w.types)
	return nil
}
