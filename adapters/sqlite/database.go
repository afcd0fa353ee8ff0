package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// database has one connection that writes and several that read.
type database struct {
	sums     sqlstore.Sums
	path     string
	address  string
	readOnly bool
	writer   *conn // nil until the first write; for one goroutine at a time
	recent   recent

	writerCache, readerCache int64 // in KiB
	maxRecent                int   // entries that are not in the table
	minSettled               int   // that a commit moves to the table if there are too many, so that writers wait little

	slots  chan struct{} // holds a token for each open reader
	mu     sync.Mutex
	idle   []*conn
	closed bool
}

var _ sqlstore.Database = (*database)(nil)

// readerWait is how long a reader waits for a slot before it opens an additional connection,
// because a goroutine that reads while it reads must not wait for itself.
const readerWait = 50 * time.Millisecond

var errReadOnly = errors.New("the SQLite store is open for reading only")

func newDatabase(path, address string, readOnly bool) *database {
	d := &database{path: path, address: address, readOnly: readOnly}
	d.plan(CacheBytes())
	return d
}

func (d *database) connect(setup ...string) (*conn, error) {
	return connect(d.address, append([]string{"PRAGMA busy_timeout=" + busyTimeout}, setup...)...)
}

// acquire returns a connection for reading.
func (d *database) acquire(ctx context.Context) (*conn, error) {
	select {
	case d.slots <- struct{}{}:
	default:
		timer := time.NewTimer(readerWait)
		defer timer.Stop()
		select {
		case d.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C: // exceed the limit
			return d.connect(queryOnly, cacheSize(min(extraCache, d.readerCache)))
		}
	}
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		c := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		return c, nil
	}
	shut := d.closed
	d.mu.Unlock()
	if shut {
		<-d.slots
		return nil, resources.ErrClosed
	}
	c, err := d.connect(queryOnly, cacheSize(d.readerCache))
	if err != nil {
		<-d.slots
		return nil, err
	}
	c.pooled = true
	return c, nil
}

const queryOnly = "PRAGMA query_only=1"

// release returns a connection to the pool.
func (d *database) release(c *conn) {
	if !c.pooled {
		c.close()
		return
	}
	d.mu.Lock()
	shut := d.closed
	if !shut {
		d.idle = append(d.idle, c)
	}
	d.mu.Unlock()
	if shut {
		c.close()
	}
	<-d.slots
}

// Close closes idle connections. The others are closed when they are released.
func (d *database) Close() error {
	d.settleAll()
	d.mu.Lock()
	idle := d.idle
	d.idle, d.closed = nil, true
	d.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	if d.writer != nil {
		d.writer.close()
		d.writer = nil
	}
	return nil
}

// Sums compares checksums.
func (d *database) Sums() *sqlstore.Sums { return &d.sums }

// Retry reports whether another process held the lock for too long, or a fresh id exists.
func (d *database) Retry(err error) bool {
	return code(err) == sqlite3.SQLITE_BUSY || code(err) == sqlite3.SQLITE_CONSTRAINT
}

var (
	readNewest = `SELECT v.seq, v.version_id, v.until, v.deleted, ` + smallBody + `, v.body_sum, length(d.body)
FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.id = ? ORDER BY v.version_id DESC LIMIT 1`

	readVersion = `SELECT v.seq, v.version_id, v.until, v.deleted, ` + smallBody + `, v.body_sum, length(d.body)
FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.id = ? AND v.version_id = ?`
)

const readMark = `SELECT value FROM mark WHERE name = ?`

// Read returns the newest version of a key.
func (d *database) Read(ctx context.Context, key resources.Key) (index.Record, error) {
	return d.queryOne(ctx, readNewest, key)
}

func (d *database) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (index.Record, error) {
	return d.queryOne(ctx, readVersion, key, versionID)
}

func (d *database) queryOne(ctx context.Context, sql string, key resources.Key, more ...int64) (index.Record, error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return index.Record{}, err
	}
	defer d.release(c)
	s, err := c.prepare(sql)
	if err != nil {
		return index.Record{}, err
	}
	defer s.release()
	s.bindText(1, key.Type)
	s.bindText(2, key.ID)
	for i, n := range more {
		s.bindInt(3+i, n)
	}
	row, err := s.step()
	if err != nil || !row {
		return index.Record{}, err
	}
	r := index.Record{
		Type: key.Type, ID: key.ID, Seq: index.Seq(s.int(0)), VersionID: s.int(1),
		Until: index.Seq(s.int(2)), Deleted: s.int(3) != 0, Body: s.bytes(4), Size: int(s.int(6)),
	}
	if err := d.sums.CheckPart(&r, index.WithSmallBody, s.int(5)); err != nil {
		return index.Record{}, err
	}
	r.LastUpdated = r.Seq.Time()
	return r, nil
}

// Mark returns a named value about the store.
func (d *database) Mark(ctx context.Context, name string) (string, error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer d.release(c)
	s, err := c.prepare(readMark)
	if err != nil {
		return "", err
	}
	defer s.release()
	s.bindText(1, name)
	if row, err := s.step(); err != nil || !row {
		return "", err
	}
	return s.text(0), nil
}

// Reader begins a read transaction on one snapshot.
func (d *database) Reader(ctx context.Context) (sqlstore.Reader, error) {
	c, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: c, database: d}
	if _, err := r.begin("BEGIN"); err != nil {
		r.End()
		return nil, err
	}
	return r, nil
}

// Writer begins the write transaction.
func (d *database) Writer(context.Context) (sqlstore.Writer, error) {
	if d.readOnly {
		return nil, errReadOnly
	}
	if d.writer == nil {
		c, err := d.connect("PRAGMA synchronous=full", cacheSize(d.writerCache), "PRAGMA wal_autocheckpoint=8000")
		if err != nil {
			return nil, err
		}
		d.writer = c
	}
	w := &writer{reader: reader{conn: d.writer, database: d}}
	var err error
	if w.base, err = w.begin("BEGIN IMMEDIATE"); err != nil {
		w.End()
		return nil, err
	}
	w.recent.upTo = index.Current
	return w, nil
}
