package sqlite

import (
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is a connection to a file, for one goroutine at a time. It calls the library
// below the driver for database/sql: rows are read where the library has them, and
// parameters are bound without a trip through interfaces, which is most of what a short
// statement costs.
type conn struct {
	tls      *libc.TLS
	db       uintptr
	prepared map[string][]*statement // those not in use
	pooled   bool                    // it has one of the slots of the database
}

// failure is an error of the library.
type failure struct {
	code int // extended result code
	text string
}

func (f *failure) Error() string { return fmt.Sprintf("%s (%d)", f.text, f.code) }

// code returns the primary result code of an error of the library or its driver, -1 for
// another error.
func code(err error) int {
	var mine *failure
	if errors.As(err, &mine) {
		return mine.code & 0xff
	}
	var driver *sqlite.Error
	if errors.As(err, &driver) {
		return driver.Code() & 0xff
	}
	return -1
}

// connect opens the file at an address (URI filename of SQLite) and runs statements that
// set the connection up.
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

// memory is an address that the library gave as a pointer: outside of what Go allocates.
func memory(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// check makes an error of a result code.
func (c *conn) check(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	if c.db == 0 {
		return &failure{code: int(rc), text: libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))}
	}
	return &failure{code: int(rc), text: libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db))}
}

// exec runs a statement that has no parameters, and passes over its rows.
func (c *conn) exec(sql string) error {
	s, err := c.statement(sql)
	if err != nil {
		return err
	}
	defer s.done()
	for {
		if row, err := s.step(); err != nil || !row {
			return err
		}
	}
}

// statement prepares a statement, or takes one that was prepared before. Its user ends
// with done.
func (c *conn) statement(sql string) (*statement, error) {
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

// inTransaction reports that a transaction has begun and not ended.
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
