package httpadapter

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// A timedConn is a TCP connection with cheap deadlines. net/http moves the deadlines several times
// per request, nearly always to a later time that is never reached. A timedConn only records the
// new deadline. It sets the deadline of the connection when the current one would expire too late,
// or when it has expired and a later one is wanted. So a deadline expires up to deadlineSlack late,
// and never early.
type timedConn struct {
	net.Conn
	read, write deadlines
}

// deadlineSlack is the longest delay with which a deadline expires.
const deadlineSlack = 2 * time.Second

// tcpConn is a *net.TCPConn, or one that counts.
type tcpConn interface {
	net.Conn
	CloseWrite() error
}

func newTimedConn(tcp tcpConn) *timedConn {
	c := &timedConn{Conn: tcp}
	c.read.set, c.write.set = tcp.SetReadDeadline, tcp.SetWriteDeadline
	return c
}

// CloseWrite closes the writing side of the connection. net/http calls it.
func (c *timedConn) CloseWrite() error { return c.Conn.(tcpConn).CloseWrite() }

// SetReadDeadline implements net.Conn.
func (c *timedConn) SetReadDeadline(t time.Time) error { return c.read.want(t) }

// SetWriteDeadline implements net.Conn.
func (c *timedConn) SetWriteDeadline(t time.Time) error { return c.write.want(t) }

// SetDeadline implements net.Conn.
func (c *timedConn) SetDeadline(t time.Time) error {
	return errors.Join(c.read.want(t), c.write.want(t))
}

// Read implements net.Conn.
func (c *timedConn) Read(p []byte) (n int, err error) {
	if err := c.read.begin(); err != nil {
		return 0, err
	}
	defer c.read.end()
	for {
		n, err = c.Conn.Read(p)
		if n > 0 || !c.read.again(err) {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (c *timedConn) Write(p []byte) (n int, err error) {
	if err := c.write.begin(); err != nil {
		return 0, err
	}
	defer c.write.end()
	for {
		var written int
		written, err = c.Conn.Write(p[n:])
		n += written
		if n == len(p) || !c.write.again(err) {
			return n, err
		}
	}
}

// deadlines holds the wanted and the current deadline of one direction. The zero time means none.
type deadlines struct {
	set func(time.Time) error

	mu      sync.Mutex
	wanted  time.Time
	current time.Time // of the connection
	expired bool      // current has expired
	waiting int       // reads or writes in progress
}

// want records a deadline. If a read or write is in progress, it also sets the deadline of the
// connection where necessary.
func (d *deadlines) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.waiting > 0 {
		return d.tighten()
	}
	return nil
}

// begin prepares a read or write. Unless it returns an error, end must follow.
func (d *deadlines) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.tighten(); err != nil {
		return err
	}
	d.waiting++
	return nil
}

// tighten sets the wanted deadline if the current one has expired or would expire too late. If it
// expires too early, again replaces it.
func (d *deadlines) tighten() error {
	late := !d.wanted.IsZero() && (d.current.IsZero() || d.current.After(d.wanted.Add(deadlineSlack)))
	if late || d.expired {
		return d.replace()
	}
	return nil
}

func (d *deadlines) replace() error {
	d.current, d.expired = d.wanted, false
	if !d.current.IsZero() {
		d.current = d.current.Add(deadlineSlack / 2) // slack, so that the next ones need not be set
	}
	return d.set(d.current)
}

// again reports whether a read or write must be repeated because it failed with a deadline that is
// no longer wanted. It sets the wanted one.
func (d *deadlines) again(err error) bool {
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expired = true
	if !d.wanted.IsZero() && time.Until(d.wanted) <= 0 {
		return false
	}
	return d.replace() == nil
}

// end marks the end of a read or write.
func (d *deadlines) end() {
	d.mu.Lock()
	d.waiting--
	d.mu.Unlock()
}
