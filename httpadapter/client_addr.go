package httpadapter

import (
	"context"
	"net/http"
	"net/netip"
)

// clientAddr returns the address of the client of a request. It is the other end of the
// connection, or if that is a trusted proxy, the address that the proxies report. It is the zero
// Addr if the request did not come over a network. The address may identify a person, and is
// logged only where the operator asks for that.
func clientAddr(r *http.Request) netip.Addr {
	if o := originOf(r.Context()); o != nil {
		return o.client
	}
	return peerAddr(r)
}

// peerAddr returns the address of the other end of the connection. It is the zero Addr if there is
// none.
func peerAddr(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// An origin is what trusted proxies report about the request that reached the first of them.
type origin struct {
	client netip.Addr
	scheme string // http or https, "" if no proxy reports it
	host   string // "" if no proxy reports it
	prefix string // the path that a proxy removed, "" if there is none
}

type originKey struct{}

// originOf returns what trusted proxies report about the request of a context, or nil.
func originOf(ctx context.Context) *origin {
	o, _ := ctx.Value(originKey{}).(*origin)
	return o
}

// behindProxies returns the request with what trusted proxies report about it. Without trusted
// proxies, or if the request comes from elsewhere, it returns r.
func (h *Handler) behindProxies(r *http.Request) *http.Request {
	if len(h.TrustedProxies) == 0 {
		return r
	}
	peer := peerAddr(r)
	if !contains(h.TrustedProxies, peer) {
		return r
	}
	read := readForwardedFor
	if h.ForwardedHeader {
		read = readForwarded
	}
	o := read(h.TrustedProxies, peer, r.Header)
	return r.WithContext(context.WithValue(r.Context(), originKey{}, &o))
}

// isSecure reports whether the client sent the request over TLS.
func isSecure(r *http.Request) bool {
	if o := originOf(r.Context()); o != nil && o.scheme != "" {
		return o.scheme == "https"
	}
	return r.TLS != nil
}

// contains reports whether an address is in one of the networks.
func contains(networks []netip.Prefix, addr netip.Addr) bool {
	for _, n := range networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}
