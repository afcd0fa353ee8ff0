package httpadapter

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// timedPair returns a timedConn and its peer.
func timedPair(t *testing.T) (*timedConn, net.Conn) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	peer, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); peer.Close() })
	return newTimedConn(conn.(*net.TCPConn)), peer
}

func readOne(c net.Conn) error {
	var b [1]byte
	_, err := io.ReadFull(c, b[:])
	return err
}

// TestTimedConnInterrupts checks that an expired deadline interrupts a read in progress, and later
// reads until it is removed.
func TestTimedConnInterrupts(t *testing.T) {
	t.Parallel()
	c, peer := timedPair(t)
	for range 3 {
		ended := make(chan error)
		go func() { ended <- readOne(c) }()
		time.Sleep(10 * time.Millisecond)
		if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("interrupted: %v", err)
		}
		if err := readOne(c); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("read under a deadline that has passed: %v", err)
		}
		for _, later := range []time.Time{{}, time.Now().Add(time.Minute)} {
			if err := c.SetDeadline(later); err != nil {
				t.Fatal(err)
			}
			if _, err := peer.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := readOne(c); err != nil {
				t.Fatalf("read with deadline %v: %v", later, err)
			}
		}
	}
}

// TestTimedConnStrikes checks that a deadline expires although it was moved during a read.
func TestTimedConnStrikes(t *testing.T) {
	t.Parallel()
	c, peer := timedPair(t)
	deadline := time.Now().Add(50 * time.Millisecond)
	if err := c.SetReadDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	moved := deadline.Add(deadlineSlack)
	time.AfterFunc(20*time.Millisecond, func() { _ = c.SetReadDeadline(moved) })
	if err := readOne(c); !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().Before(moved) {
		t.Fatalf("%v, %v before the deadline", err, time.Until(moved))
	}
	// The peer does not read, so the buffers fill up and the deadline interrupts the write.
	if err := c.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(make([]byte, 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("write: %v", err)
	}
	if err := c.SetWriteDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, peer); err != nil {
		t.Fatalf("the peer got %d bytes: %v", n, err)
	}
}
