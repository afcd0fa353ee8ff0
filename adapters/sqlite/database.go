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

// database is one connection that writes and some that read.
type database struct {
	address  string
	readOnly bool
	writer   *conn // nil until the first write; for one goroutine at a time

	slots chan struct{} // a token for each reader that may be open
	mu    sync.Mutex
	idle  []*conn
	shut  bool
}

var _ sqlstore.Database = (*database)(nil)

// patience is how long a reader waits for another to end before it opens a connection of
// its own: who reads while it reads must not wait for itself.
const patience = 50 * time.Millisecond

var errReadOnly = errors.New("sqlite: the store is open for reading only")

func newDatabase(address string, readOnly bool, readers int) *database {
	return &database{address: address, readOnly: readOnly, slots: make(chan struct{}, readers)}
}

func (d *database) connect(setup ...string) (*conn, error) {
	return connect(d.address, append([]string{"PRAGMA busy_timeout=" + busyTimeout}, setup...)...)
}

// take returns a connection that reads.
func (d *database) take(ctx context.Context) (*conn, error) {
	select {
	case d.slots <- struct{}{}:
	default:
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case d.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C: // one more than there should be
			return d.connect(readerSetup...)
		}
	}
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		c := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		return c, nil
	}
	shut := d.shut
	d.mu.Unlock()
	if shut {
		<-d.slots
		return nil, resources.ErrClosed
	}
	c, err := d.connect(readerSetup...)
	if err != nil {
		<-d.slots
		return nil, err
	}
	c.pooled = true
	return c, nil
}

var readerSetup = []string{"PRAGMA query_only=1", "PRAGMA cache_size=-8192"}

// put returns a connection back.
func (d *database) put(c *conn) {
	if !c.pooled {
		c.close()
		return
	}
	d.mu.Lock()
	shut := d.shut
	if !shut {
		d.idle = append(d.idle, c)
	}
	d.mu.Unlock()
	if shut {
		c.close()
	}
	<-d.slots
}

// Close closes the connections that nobody uses; the others when they are given back.
func (d *database) Close() error {
	d.mu.Lock()
	idle := d.idle
	d.idle, d.shut = nil, true
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

// Retry reports that another process held the file too long.
func (d *database) Retry(err error) bool { return code(err) == sqlite3.SQLITE_BUSY }

const (
	readNewest = `SELECT v.seq, v.version_id, v.until, v.deleted, d.body
FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.id = ? ORDER BY v.version_id DESC LIMIT 1`

	readVersion = `SELECT v.seq, v.version_id, v.until, v.deleted, d.body
FROM version v CROSS JOIN document d ON d.seq = v.seq
WHERE v.type = ? AND v.id = ? AND v.version_id = ?`

	readMark = `SELECT value FROM mark WHERE name = ?`
)

// Read returns the newest version of a key.
func (d *database) Read(ctx context.Context, key resources.Key) (index.Record, error) {
	return d.one(ctx, readNewest, key)
}

// ReadVersion returns one version.
func (d *database) ReadVersion(ctx context.Context, key resources.Key, versionID int64) (index.Record, error) {
	return d.one(ctx, readVersion, key, versionID)
}

func (d *database) one(ctx context.Context, sql string, key resources.Key, more ...int64) (index.Record, error) {
	c, err := d.take(ctx)
	if err != nil {
		return index.Record{}, err
	}
	defer d.put(c)
	s, err := c.statement(sql)
	if err != nil {
		return index.Record{}, err
	}
	defer s.done()
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
		Until: index.Seq(s.int(2)), Deleted: s.int(3) != 0, Body: s.bytes(4),
	}
	r.LastUpdated = r.Seq.Time()
	return r, nil
}

// Mark returns a word about the store.
func (d *database) Mark(ctx context.Context, name string) (string, error) {
	c, err := d.take(ctx)
	if err != nil {
		return "", err
	}
	defer d.put(c)
	s, err := c.statement(readMark)
	if err != nil {
		return "", err
	}
	defer s.done()
	s.bindText(1, name)
	if row, err := s.step(); err != nil || !row {
		return "", err
	}
	return s.text(0), nil
}

// Reader begins to read one state.
func (d *database) Reader(ctx context.Context) (sqlstore.Reader, error) {
	c, err := d.take(ctx)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: c, database: d}
	if err := r.begin("BEGIN"); err != nil {
		r.End()
		return nil, err
	}
	return r, nil
}

// Writer begins the transaction that writes.
func (d *database) Writer(context.Context) (sqlstore.Writer, error) {
	if d.readOnly {
		return nil, errReadOnly
	}
	if d.writer == nil {
		c, err := d.connect("PRAGMA synchronous=full", "PRAGMA cache_size=-65536", "PRAGMA wal_autocheckpoint=8000")
		if err != nil {
			return nil, err
		}
		d.writer = c
	}
	w := &writer{reader: reader{conn: d.writer}, database: d}
	if err := w.begin("BEGIN IMMEDIATE"); err != nil {
		w.End()
		return nil, err
	}
	return w, nil
}
