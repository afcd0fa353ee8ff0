package httpadapter

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/operation"
)

// Hosts are the names under which a server answers. A web page can make a name of its own lead to any
// address (DNS rebinding), and its scripts may then read what a server there answers. A server that
// asks nobody who they are should therefore know its names.
type Hosts struct {
	// Names are host names or addresses without ports: tx.example, *.example for all names below
	// example, or * for all.
	Names []string
	// Private also accepts every IP address, and every name that the public DNS cannot have:
	// localhost, a name without a full stop, and names below .local, .internal, .test and .home.arpa.
	Private bool
}

// privateSuffixes are the domains that are reserved for local use. RFC 6761, 6762 and 8375, and
// ICANN's resolution 2024.07.29.06 for internal.
var privateSuffixes = [...]string{".localhost", ".local", ".internal", ".test", ".home.arpa"}

// LoopbackHosts returns the names of a server that only its own machine reaches.
func LoopbackHosts() Hosts { return Hosts{Names: []string{"localhost", "127.0.0.1", "::1"}} }

// Accept reports whether a Host header, with or without a port, is one of the hosts. A request without
// the header, which HTTP/1.0 permits and no browser sends, is accepted.
func (hosts Hosts) Accept(header string) bool {
	if header == "" {
		return true
	}
	host, _, ok := splitAuthority(header)
	if !ok {
		return false
	}
	host = strings.TrimSuffix(host, ".") // the root of the DNS
	if slices.ContainsFunc(hosts.Names, func(name string) bool { return matchesHost(name, host) }) {
		return true
	}
	return hosts.Private && isPrivateHost(host)
}

// matchesHost reports whether a host is what a name of Hosts stands for.
func matchesHost(name, host string) bool {
	if name == "*" || strings.EqualFold(name, host) {
		return true
	}
	suffix, wild := strings.CutPrefix(name, "*")
	return wild && len(host) > len(suffix) && strings.EqualFold(host[len(host)-len(suffix):], suffix)
}

// isPrivateHost reports whether a host cannot be a name in the public DNS.
func isPrivateHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if !strings.Contains(host, ".") {
		return host != ""
	}
	host = strings.ToLower(host)
	return slices.ContainsFunc(privateSuffixes[:], func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// ValidHost reports whether Hosts.Names may contain a name.
func ValidHost(name string) bool {
	if name == "*" {
		return true
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return validName(strings.TrimPrefix(name, "*."))
}

// knowsHost reports whether the server answers to the host of a request. If not, it responds. What
// watches the server may ask by any name whether it works.
func (h *Handler) knowsHost(w http.ResponseWriter, r *http.Request) bool {
	host := r.Host
	if o := originOf(r.Context()); o != nil && o.host != "" {
		host = o.host
	}
	if h.accepts(h.Hosts, host) || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return true
	}
	h.refuseHost(w, r, host)
	return false
}

// accepts reports whether a host is one of hosts, which nil leaves open, or that of the public URL.
func (h *Handler) accepts(hosts *Hosts, host string) bool {
	return hosts == nil || hosts.Accept(host) || matchesHost(h.public.host, bareHost(host))
}

// refuseHost responds to a request for a host that is none of the server's.
func (h *Handler) refuseHost(w http.ResponseWriter, r *http.Request, host string) {
	h.refuseRequest(w, r, withStatus(http.StatusMisdirectedRequest, operation.Problem{
		Code: "forbidden",
		Text: "this server does not answer to the host " + strconv.Quote(cut(host)) + "; if it is one of its names, start the server with --host NAME or --base-url URL",
	}))
}

// bareHost returns a host without its port.
func bareHost(authority string) string {
	host, _, _ := splitAuthority(authority)
	return strings.TrimSuffix(host, ".")
}
