package httpadapter

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
)

// OperationsHandler returns a handler for those who operate the server, to be served at an address
// that clients do not reach: /metrics (with Config.Metrics), /healthz, /readyz, and the profiles of
// the Go runtime below /debug/pprof/. It asks nobody who they are, so it answers only to
// Config.OperationsHosts. The profiles are for this machine only: any other client, and any other name
// of the host than localhost or an address, is refused.
func (h *Handler) OperationsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", h.plain(label{action: "health"}, (*call).healthy))
	mux.Handle("GET /readyz", h.plain(label{action: "ready"}, (*call).ready))
	if h.metrics != nil {
		mux.Handle("GET /metrics", h.metrics.handler())
	}
	mux.Handle("GET /debug/pprof/", local(http.HandlerFunc(pprof.Index)))
	mux.Handle("GET /debug/pprof/profile", local(http.HandlerFunc(pprof.Profile)))
	mux.Handle("GET /debug/pprof/trace", local(http.HandlerFunc(pprof.Trace)))
	mux.Handle("GET /debug/pprof/symbol", local(http.HandlerFunc(pprof.Symbol)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.accepts(h.OperationsHosts, r.Host) {
			h.refuseHost(w, r, r.Host)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// local refuses requests that do not come from this machine, and those of web pages whose name was
// made to lead here.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host
		}
		_, err = netip.ParseAddr(name)
		if peer := peerAddr(r); !peer.IsLoopback() || err != nil && name != "localhost" {
			http.Error(w, "profiles are for this machine only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
