package sqlite

import (
	"context"
	"fmt"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/roget-health/roget/adapters/internal/sqlstore"
	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/resources/index"
)

// statement is a prepared statement. As in SQLite, parameters count from 1 and columns from 0.
type statement struct {
	conn       *conn
	sql        string
	handle     uintptr
	parameters buffer // memory of bound texts and blobs
	err        error  // first error of binding
}

// buffer is library memory for parameters, which must not move while a statement uses them.
type buffer struct {
	blocks []block
	n      int // blocks in use
}

type block struct {
	address    uintptr
	size, used int
}

// blockSize is the minimum size of a new block.
const blockSize = 16 << 10

// maxReusedBlock is the maximum size of a block that is kept for reuse.
const maxReusedBlock = 1 << 20

// bytes copies text into the buffer and returns its address.
func (b *buffer) bytes(c *conn, text []byte) (uintptr, error) {
	for ; b.n < len(b.blocks); b.n++ {
		if k := &b.blocks[b.n]; k.size-k.used >= len(text) {
			return k.add(text), nil
		}
	}
	size := max(blockSize, len(text))
	address := sqlite3.Xsqlite3_malloc64(c.tls, uint64(size))
	if address == 0 {
		return 0, fmt.Errorf("SQLite: no memory for %d bytes", size)
	}
	b.blocks = append(b.blocks, block{address: address, size: size})
	return b.blocks[b.n].add(text), nil
}

func (k *block) add(text []byte) uintptr {
	at := k.address + uintptr(k.used)
	copy(unsafe.Slice((*byte)(memory(at)), len(text)), text)
	k.used += len(text)
	return at
}

// reset empties the buffer and frees very large blocks.
func (b *buffer) reset(c *conn) {
	kept := b.blocks[:0]
	for _, k := range b.blocks {
		if k.size > maxReusedBlock {
			sqlite3.Xsqlite3_free(c.tls, k.address)
			continue
		}
		k.used = 0
		kept = append(kept, k)
	}
	b.blocks, b.n = kept, 0
}

func (s *statement) recordError(rc int32) {
	if s.err == nil {
		s.err = s.conn.check(rc)
	}
}

func (s *statement) bindInt(i int, v int64) {
	s.recordError(sqlite3.Xsqlite3_bind_int64(s.conn.tls, s.handle, int32(i), v))
}

// bindBytes binds a blob. nil is null.
func (s *statement) bindBytes(i int, v []byte) {
	switch {
	case v == nil:
		s.recordError(sqlite3.Xsqlite3_bind_null(s.conn.tls, s.handle, int32(i)))
	case len(v) == 0:
		s.recordError(sqlite3.Xsqlite3_bind_zeroblob(s.conn.tls, s.handle, int32(i), 0))
	default:
		address, err := s.parameters.bytes(s.conn, v)
		if err != nil {
			s.err = err
			return
		}
		s.recordError(sqlite3.Xsqlite3_bind_blob(s.conn.tls, s.handle, int32(i), address, int32(len(v)), 0))
	}
}

func (s *statement) bindText(i int, v string) {
	if v == "" {
		v = "\x00" // an empty text also needs an address
		address, err := s.parameters.bytes(s.conn, []byte(v))
		if err != nil {
			s.err = err
			return
		}
		s.recordError(sqlite3.Xsqlite3_bind_text(s.conn.tls, s.handle, int32(i), address, 0, 0))
		return
	}
	address, err := s.parameters.bytes(s.conn, unsafe.Slice(unsafe.StringData(v), len(v)))
	if err != nil {
		s.err = err
		return
	}
	s.recordError(sqlite3.Xsqlite3_bind_text(s.conn.tls, s.handle, int32(i), address, int32(len(v)), 0))
}

// step moves to the next row and reports whether there is one.
func (s *statement) step() (row bool, err error) {
	if s.err != nil {
		return false, s.err
	}
	switch rc := sqlite3.Xsqlite3_step(s.conn.tls, s.handle); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.conn.check(rc)
	}
}

// run runs a statement without rows and resets it.
func (s *statement) run() error {
	_, err := s.step()
	s.reset()
	return err
}

func (s *statement) int(i int) int64 {
	return sqlite3.Xsqlite3_column_int64(s.conn.tls, s.handle, int32(i))
}

// view returns a blob or text of the row in library memory, valid until the next step.
func (s *statement) view(i int) []byte {
	address := sqlite3.Xsqlite3_column_blob(s.conn.tls, s.handle, int32(i))
	n := sqlite3.Xsqlite3_column_bytes(s.conn.tls, s.handle, int32(i))
	if address == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(memory(address)), int(n))
}

// bytes returns a copy of a blob, or nil for null.
func (s *statement) bytes(i int) []byte {
	v := s.view(i)
	if v == nil {
		if sqlite3.Xsqlite3_column_type(s.conn.tls, s.handle, int32(i)) == sqlite3.SQLITE_NULL {
			return nil
		}
		return []byte{}
	}
	return append(make([]byte, 0, len(v)), v...)
}

func (s *statement) text(i int) string { return string(s.view(i)) }

// reset prepares the statement for new parameters.
func (s *statement) reset() {
	sqlite3.Xsqlite3_reset(s.conn.tls, s.handle)
	s.parameters.reset(s.conn)
	s.err = nil
}

// release returns the statement to the connection for reuse.
func (s *statement) release() {
	s.reset()
	if s.conn.prepared == nil { // the connection is closed
		s.finalize()
		return
	}
	s.conn.prepared[s.sql] = append(s.conn.prepared[s.sql], s)
}

func (s *statement) finalize() {
	for _, k := range s.parameters.blocks {
		sqlite3.Xsqlite3_free(s.conn.tls, k.address)
	}
	s.parameters.blocks = nil
	sqlite3.Xsqlite3_finalize(s.conn.tls, s.handle)
}

// columns are the columns of a record by the requested parts. The first six are the same.
var columns = allColumns()

func allColumns() (all [16]string) {
	for parts := range index.Parts(len(all)) {
		list, join := "v.seq, v.type, v.id, v.version_id, v.until, v.deleted", ""
		if parts&index.WithValues != 0 {
			list += ", v.vals, v.vals_sum"
		}
		if parts&^index.WithValues != 0 {
			join = " CROSS JOIN document d ON d.seq = v.seq"
		}
		switch {
		case parts&index.WithBody != 0:
			list += ", d.body, v.body_sum"
		case parts&index.WithSmallBody != 0:
			list += ", " + smallBody + ", v.body_sum"
		}
		if parts&(index.WithSize|index.WithSmallBody) != 0 {
			list += ", length(d.body)" // without reading the body
		}
		all[parts] = list + " FROM version v" + join
	}
	return all
}

// smallBody is the body if it is small, else null, without reading it.
var smallBody = fmt.Sprintf("CASE WHEN length(d.body) <= %d THEN d.body END", index.SmallBody)

// record decodes a row of columns and compares the checksums of the parts. It borrows the memory for
// large values.
func record(ctx context.Context, s *statement, parts index.Parts, sums *sqlstore.Sums) (index.Record, error) {
	r := index.Record{
		Seq: index.Seq(s.int(0)), Type: s.text(1), ID: s.text(2), VersionID: s.int(3),
		Until: index.Seq(s.int(4)), Deleted: s.int(5) != 0,
	}
	i := 6
	if parts&index.WithValues != 0 {
		if err := budget.Borrow(ctx, int64(len(s.view(i)))); err != nil {
			return index.Record{}, err
		}
		r.Values = s.bytes(i)
		if err := sums.CheckValues(&r, s.int(i+1)); err != nil {
			return index.Record{}, err
		}
		i += 2
	}
	sum := int64(0)
	if parts&(index.WithBody|index.WithSmallBody) != 0 {
		r.Body, sum = s.bytes(i), s.int(i+1)
		i += 2
	}
	if parts&(index.WithSize|index.WithSmallBody) != 0 {
		r.Size = int(s.int(i))
	}
	r.LastUpdated = r.Seq.Time()
	return r, sums.CheckPart(&r, parts, sum)
}
