package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// database is a pool of connections.
type database struct {
	sums    sqlstore.Sums
	pool    *pgxpool.Pool
	reads   reads
	notices *notices
	// generic reports whether statements are planned once; see planning.
	generic bool

	probing sync.Mutex
	probe   *pgx.Conn // of Ping, nil if not connected

	// Found by Ping: whether transactions only read, and then what the server is.
	readOnly atomic.Bool
	standby  atomic.Pointer[standby]

	fence fence
}

var _ sqlstore.Database = (*database)(nil)

// Sums compares checksums.
func (d *database) Sums() *sqlstore.Sums { return &d.sums }

// Close closes all connections when they are no longer in use.
func (d *database) Close() error {
	d.notices.close()
	d.pool.Close()
	d.probing.Lock()
	defer d.probing.Unlock()
	d.closeProbe()
	return nil
}

// Follows reports that a version can be added after one that was not looked for.
func (d *database) Follows() bool { return true }

// Retry reports whether another transaction was faster (its version exists already or is not the former one, the two
// cannot be serialized, or they deadlock), the server ended the transaction of a client that was idle, or
// nothing was sent.
func (d *database) Retry(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case "23505", "22012", "40001", "40P01", "25P03": // unique_violation, division_by_zero (see supersedeFormer), serialization_failure, deadlock_detected, idle_in_transaction_session_timeout
			return true
		}
		return false
	}
	return pgconn.SafeToRetry(err)
}

var (
	selectRecord  = "SELECT " + columns(index.WithSmallBody) + " WHERE v.type = $1 AND v.id = $2"
	selectNewest  = selectRecord + ` ORDER BY v.version_id DESC LIMIT 1`
	selectVersion = selectRecord + ` AND v.version_id = $3`
)

const (
	selectMark = `SELECT value FROM mark WHERE name = $1`
	selectLast = `SELECT coalesce(max(seq), 0), ` + fenceColumns + ` FROM version`
)

// Read returns the newest version of a key.
func (d *database) Read(ctx context.Context, key resources.Key) (index.Record, error) {
	return d.newest(ctx, key)
}

func (d *database) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (index.Record, error) {
	return d.queryOne(ctx, selectVersion, key.Type, key.ID, versionID)
}

func (d *database) queryOne(ctx context.Context, sql string, args ...any) (index.Record, error) {
	rows, err := d.pool.Query(ctx, sql, args...)
	if err != nil {
		return index.Record{}, err
	}
	defer rows.Close()
	var r index.Record
	if rows.Next() {
		if r, err = d.record(ctx, rows, index.WithSmallBody); err != nil {
			return index.Record{}, err
		}
	}
	rows.Close()
	return r, rows.Err()
}

// Mark returns a named value about the store.
func (d *database) Mark(ctx context.Context, name string) (value string, err error) {
	err = d.pool.QueryRow(ctx, selectMark, name).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return value, err
}

// Reader begins a read transaction on one snapshot.
func (d *database) Reader(ctx context.Context) (sqlstore.Reader, error) {
	return d.begin(ctx, d.fence.searches, beginReading)
}

// lockTurn waits until no other process writes.
const lockTurn = "SELECT id FROM turn WHERE id = 1 FOR UPDATE"

// setIdleTimeout makes the server end a write transaction whose client is idle, such as a virtual
// machine that is paused, because others wait for it. The client cannot commit when it goes on.
const setIdleTimeout = "SET LOCAL idle_in_transaction_session_timeout = '4s'"

// lockTime is the longest wait for the writer of another process.
const lockTime = time.Minute

// Writer begins the write transaction. It waits until no other process writes, and then sees
// their writes.
func (d *database) Writer(ctx context.Context) (sqlstore.Writer, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	r, err := d.begin(ctx, d.fence.writes, "BEGIN ISOLATION LEVEL READ COMMITTED", setIdleTimeout, lockTurn)
	if err != nil {
		return nil, err
	}
	r.shared = true
	return &writer{reader: *r, types: make(map[string]bool)}, nil
}

// begin begins a transaction with some statements, and reads the last Seq and what permits it.
func (d *database) begin(ctx context.Context, permits func(*fenced) error, statements ...string) (*reader, error) {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: conn, database: d}
	for _, sql := range statements {
		r.enqueue(sql)
	}
	var now fenced
	err = r.query(ctx, func(rows pgx.Rows) error { return rows.Scan((*int64)(&r.at), &now.mark, &now.schema) }, selectLast)
	if err == nil {
		err = permits(&now)
	}
	if err != nil {
		r.End()
		return nil, err
	}
	return r, nil
}

// rollbackTime is the longest time for ending a transaction. Its caller waits.
const rollbackTime = time.Second

// End rolls back the transaction, unless it has ended, and releases the connection.
func (r *reader) End() {
	if status := r.conn.Conn().PgConn().TxStatus(); status != 'I' && !r.conn.Conn().IsClosed() {
		ctx, cancel := context.WithTimeout(context.Background(), rollbackTime)
		defer cancel()
		_, _ = r.conn.Exec(ctx, "ROLLBACK") // the pool discards a connection that is still in a transaction
	}
	r.conn.Release()
}
