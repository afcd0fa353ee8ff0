package httpadapter

import (
	"net"
	"net/netip"
	"sync"
)

// A connectionLimit is a net.Listener that closes connections beyond a number, in all and of one
// address, as soon as it has accepted them.
type connectionLimit struct {
	net.Listener
	all, perClient int
	exempt         []netip.Prefix // from perClient

	mu      sync.Mutex
	open    int
	peers   map[netip.Addr]int // of addresses that are not exempt
	refused RefusedConnections
}

// RefusedConnections are the numbers of connections that were closed because there were too many.
type RefusedConnections struct {
	All       uint64 // in all
	PerClient uint64 // of one address
}

// CountConnections returns how many connections of a listener of LimitConnections are open, how many
// may be, and how many were refused; zeros for other listeners.
func CountConnections(l net.Listener) (open, limit int, refused RefusedConnections) {
	limited, is := l.(*connectionLimit)
	if !is {
		return 0, 0, refused
	}
	limited.mu.Lock()
	defer limited.mu.Unlock()
	return limited.open, limited.all, limited.refused
}

// LimitConnections returns a listener with at most all connections, and perClient of one address,
// without those in exempt and of this machine. 0 means no limit. TLS comes on top of it.
func LimitConnections(l net.Listener, all, perClient int, exempt []netip.Prefix) net.Listener {
	if all <= 0 && perClient <= 0 {
		return l
	}
	return &connectionLimit{Listener: l, all: all, perClient: perClient, exempt: exempt, peers: map[netip.Addr]int{}}
}

// Accept returns the next connection within the limits.
func (l *connectionLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return conn, err
		}
		peer := l.peer(conn)
		if !l.enter(peer) {
			_ = conn.Close() // it is refused anyway
			continue
		}
		limited := &limitedConn{Conn: conn, left: sync.OnceFunc(func() { l.leave(peer) })}
		if tcp, ok := conn.(*net.TCPConn); ok {
			return limitedTCP{limited, tcp}, nil
		}
		return limited, nil
	}
}

// peer returns the address that a connection counts for, the zero Addr if it counts for none.
func (l *connectionLimit) peer(conn net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	addr := at.Addr().Unmap().WithZone("")
	if err != nil || l.perClient <= 0 || addr.IsLoopback() || contains(l.exempt, addr) {
		return netip.Addr{}
	}
	if addr.Is6() { // one client has a whole network
		network, _ := addr.Prefix(64)
		return network.Addr()
	}
	return addr
}

func (l *connectionLimit) enter(peer netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.all > 0 && l.open >= l.all:
		l.refused.All++
		return false
	case peer.IsValid() && l.peers[peer] >= l.perClient:
		l.refused.PerClient++
		return false
	}
	l.open++
	if peer.IsValid() {
		l.peers[peer]++
	}
	return true
}

func (l *connectionLimit) leave(peer netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if !peer.IsValid() {
		return
	}
	if l.peers[peer]--; l.peers[peer] == 0 {
		delete(l.peers, peer)
	}
}

// limitedConn is a connection that counts until it is closed.
type limitedConn struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	defer c.left()
	return c.Conn.Close()
}

// limitedTCP is a limitedConn over TCP, which a timedConn uses.
type limitedTCP struct {
	*limitedConn
	tcp *net.TCPConn
}

// CloseWrite closes the writing side of the connection.
func (c limitedTCP) CloseWrite() error { return c.tcp.CloseWrite() }
