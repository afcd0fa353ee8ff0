package httpadapter

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// A timedConn is a TCP connection whose deadlines cost little. net/http moves them several
// times for each request, nearly always to a later time that nobody waits for. Here a
// deadline that moves is noted, and set only where one is due that would come too late, or
// when the one set before strikes while a later one is wanted. So a deadline strikes up to
// deadlineSlack late, and never early.
type timedConn struct {
	net.Conn
	read, write deadlines
}

// deadlineSlack is how late a deadline may strike.
const deadlineSlack = 2 * time.Second

func newTimedConn(tcp *net.TCPConn) *timedConn {
	c := &timedConn{Conn: tcp}
	c.read.set, c.write.set = tcp.SetReadDeadline, tcp.SetWriteDeadline
	return c
}

// CloseWrite lets net/http end its half of the connection.
func (c *timedConn) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

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

// deadlines are those of one direction: the deadline wanted, and the one that is set.
// The zero time is none.
type deadlines struct {
	set func(time.Time) error

	mu      sync.Mutex
	wanted  time.Time
	isSet   time.Time
	struck  bool // the one set has struck
	waiting int  // reads or writes under way
}

// want notes a deadline. It is set when something waits that would not hear of it.
func (d *deadlines) want(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.waiting > 0 {
		return d.tighten()
	}
	return nil
}

// begin makes ready to wait; end is due afterwards, unless there is an error.
func (d *deadlines) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.tighten(); err != nil {
		return err
	}
	d.waiting++
	return nil
}

// tighten sets the deadline wanted if the one that is set has struck or would come too
// late. One that comes too early is found out when it strikes.
func (d *deadlines) tighten() error {
	late := !d.wanted.IsZero() && (d.isSet.IsZero() || d.isSet.After(d.wanted.Add(deadlineSlack)))
	if late || d.struck {
		return d.replace()
	}
	return nil
}

func (d *deadlines) replace() error {
	d.isSet, d.struck = d.wanted, false
	if !d.isSet.IsZero() {
		d.isSet = d.isSet.Add(deadlineSlack / 2) // room for the next ones
	}
	return d.set(d.isSet)
}

// again reports that what failed did so by a deadline that is not wanted any more; the one
// wanted is set then.
func (d *deadlines) again(err error) bool {
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.struck = true
	if !d.wanted.IsZero() && time.Until(d.wanted) <= 0 {
		return false
	}
	return d.replace() == nil
}

// end reports whether nothing waits any more.
func (d *deadlines) end() {
	d.mu.Lock()
	d.waiting--
	d.mu.Unlock()
}
