package httpadapter

import (
	"net"
	"net/netip"
	"testing"
)

// peerConn is a connection from an address.
type peerConn struct {
	net.Conn
	from string
}

func (c peerConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}
func (c peerConn) Close() error { return nil }

// peers is a listener with connections from a list of addresses.
type peers struct {
	net.Listener
	from []string
}

func (p *peers) Accept() (net.Conn, error) {
	if len(p.from) == 0 {
		return nil, net.ErrClosed
	}
	conn := peerConn{from: p.from[0]}
	p.from = p.from[1:]
	return conn, nil
}

func TestConnectionLimits(t *testing.T) {
	in := &peers{from: []string{
		"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", // the third of a client is refused
		"[::ffff:192.0.2.1]:4",                                  // the same client
		"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1", // one network
		"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3", "127.0.0.1:1", // a proxy, and this machine
		"192.0.2.9:1", // beyond all
	}}
	l := LimitConnections(in, 8, 2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	var open []net.Conn
	accept := func() (got []string) {
		for {
			conn, err := l.Accept()
			if err != nil {
				return got
			}
			open = append(open, conn)
			got = append(got, conn.RemoteAddr().String())
		}
	}
	if got := accept(); len(got) != 8 || got[1] != "192.0.2.1:2" || got[2] != "[2001:db8::1]:1" || got[7] != "127.0.0.1:1" {
		t.Fatalf("accepted %v", got)
	}
	if n, limit, refused := CountConnections(l); n != 8 || limit != 8 || refused != (RefusedConnections{All: 1, PerClient: 3}) {
		t.Errorf("%d of %d connections are open, refused %+v", n, limit, refused)
	}
	for range 2 { // closing twice counts once
		_ = open[0].Close()
	}
	in.from = []string{"192.0.2.1:5", "192.0.2.1:6"}
	if got := accept(); len(got) != 1 || got[0] != "192.0.2.1:5" {
		t.Errorf("after one is closed: accepted %v", got)
	}
	if n, _, _ := CountConnections(l); n != 8 {
		t.Errorf("%d connections are open", n)
	}
	if n, limit, _ := CountConnections(in); n != 0 || limit != 0 {
		t.Errorf("a listener without limits has %d of %d connections", n, limit)
	}
	if LimitConnections(in, 0, 0, nil) != net.Listener(in) {
		t.Error("a listener without limits is wrapped")
	}
}
