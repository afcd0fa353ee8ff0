package sqlite

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is a connection to a file, for one goroutine at a time. It calls the SQLite library
// directly instead of through the driver for database/sql. Rows are read in place and parameters
// are bound without conversion to interfaces, which would be most of the cost of a short
// statement.
type conn struct {
	tls      *libc.TLS
	db       uintptr
	prepared map[string][]*statement // idle prepared statements by SQL text
	pooled   bool                    // it occupies a slot of the database
}

// libraryError is an error of the SQLite library.
type libraryError struct {
	code int // extended result code
	text string
}

func (f *libraryError) Error() string { return fmt.Sprintf("%s (SQLite error %d)", f.text, f.code) }

// code returns the primary result code of an error of the library or its driver, and -1 for other
// errors.
func code(err error) int {
	var mine *libraryError
	if errors.As(err, &mine) {
		return mine.code & 0xff
	}
	var driver *sqlite.Error
	if errors.As(err, &driver) {
		return driver.Code() & 0xff
	}
	return -1
}

// connect opens the file at an address (URI filename of SQLite) and runs setup statements.
func connect(address string, setup ...string) (*conn, error) {
	c := &conn{tls: libc.NewTLS(), prepared: make(map[string][]*statement)}
	name, err := libc.CString(address)
	if err != nil {
		c.tls.Close()
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	handle := c.tls.Alloc(int(unsafe.Sizeof(uintptr(0))))
	defer c.tls.Free(int(unsafe.Sizeof(uintptr(0))))
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_URI
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, handle, flags, 0)
	c.db = *(*uintptr)(memory(handle))
	if err := c.check(rc); err != nil {
		c.close()
		return nil, err
	}
	sqlite3.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	for _, sql := range setup {
		if err := c.exec(sql); err != nil {
			c.close()
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return c, nil
}

// memory converts an address from the library, which lies outside the Go heap, into a pointer.
func memory(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// check returns the error for a result code.
func (c *conn) check(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	if c.db == 0 {
		return &libraryError{code: int(rc), text: libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))}
	}
	return &libraryError{code: int(rc), text: libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))}
}

// exec runs a statement without parameters and ignores its rows.
func (c *conn) exec(sql string) error {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer s.release()
	for {
		if row, err := s.step(); err != nil || !row {
			return err
		}
	}
}

// prepare returns a prepared statement, if possible an idle one. The caller must call release.
func (c *conn) prepare(sql string) (*statement, error) {
	if idle := c.prepared[sql]; len(idle) > 0 {
		s := idle[len(idle)-1]
		c.prepared[sql] = idle[:len(idle)-1]
		return s, nil
	}
	text, err := libc.CString(sql)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, text)
	handle := c.tls.Alloc(int(unsafe.Sizeof(uintptr(0))))
	defer c.tls.Free(int(unsafe.Sizeof(uintptr(0))))
	if err := c.check(sqlite3.Xsqlite3_prepare_v2(c.tls, c.db, text, -1, handle, 0)); err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, err)
	}
	return &statement{conn: c, sql: sql, handle: *(*uintptr)(memory(handle))}, nil
}

// endWith interrupts the statement that runs when ctx ends. The returned function ends that, and must
// be called before the connection is closed.
func (c *conn) endWith(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	prevent := context.AfterFunc(ctx, func() {
		defer close(done)
		sqlite3.Xsqlite3_interrupt(c.tls, c.db)
	})
	return func() {
		if !prevent() {
			<-done
		}
	}
}

// inTransaction reports whether a transaction is open.
func (c *conn) inTransaction() bool { return sqlite3.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

func (c *conn) close() {
	for _, idle := range c.prepared {
		for _, s := range idle {
			s.finalize()
		}
	}
	c.prepared = nil
	if c.db != 0 {
		sqlite3.Xsqlite3_close_v2(c.tls, c.db)
		c.db = 0
	}
	c.tls.Close()
}
