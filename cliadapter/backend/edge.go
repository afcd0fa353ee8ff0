package backend

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/roget-health/roget/adapters/subscriptions"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
)

// checkEdge returns a UsageError for options of the edge that are wrong, before anything is opened.
func checkEdge(o *cliadapter.ServeOptions) error {
	wrong := func(flag string, err error) error {
		return &cliadapter.UsageError{Err: fmt.Errorf("--%s: %w", flag, err)}
	}
	if err := checkAddress("addr", o.Addr); err != nil {
		return err
	}
	if err := httpadapter.CheckBaseURL(o.Edge.BaseURL); o.Edge.BaseURL != "" && err != nil {
		return wrong("base-url", fmt.Errorf("%q %w", o.Edge.BaseURL, err))
	}
	for _, origin := range o.CORSOrigins {
		if err := httpadapter.CheckOrigin(origin); err != nil {
			return wrong("cors-origin", err)
		}
	}
	for _, host := range o.Edge.Hosts {
		if !httpadapter.ValidHost(host) {
			return wrong("host", fmt.Errorf("%q is not a name without a port, such as tx.example or *.example.org", host))
		}
	}
	if err := subscriptions.Hosts(o.SubscriptionHosts).Check(); err != nil {
		return wrong("subscription-hosts", err)
	}
	if flag, err := checkImports(&o.Exports); err != nil {
		return wrong(flag, err)
	}
	return nil
}

// acceptedHosts returns the hosts that the service answers to: its names, else on a loopback address
// only those of this machine, and elsewhere all that the public DNS cannot have.
func acceptedHosts(o *cliadapter.ServeOptions) *httpadapter.Hosts {
	if o.Addr == "" {
		return nil // a service without a listener
	}
	hosts := hostsAt(o.Addr, o.Edge.Hosts)
	hosts.Private = hosts.Private && len(o.Edge.Hosts) == 0
	return &hosts
}

// operationsHosts returns the hosts that the listener for operations answers to. They are those of the
// service, but --host, which lists the names that clients use, does not take away the addresses and
// private names by which monitoring reaches a machine.
func operationsHosts(o *cliadapter.ServeOptions) *httpadapter.Hosts {
	if o.Operations.Addr == "" {
		return nil // there is no such listener
	}
	hosts := hostsAt(o.Operations.Addr, o.Edge.Hosts)
	return &hosts
}

// hostsAt returns the hosts of a listener: those of this machine, its own address, and names; unless
// only this machine reaches it, also all that the public DNS cannot have.
func hostsAt(address string, names []string) httpadapter.Hosts {
	hosts := httpadapter.LoopbackHosts()
	host, _, _ := net.SplitHostPort(address)
	addr, err := netip.ParseAddr(host)
	local := strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
	if host != "" && (err != nil || !addr.IsUnspecified()) {
		hosts.Names = append(hosts.Names, host)
	}
	hosts.Names = append(hosts.Names, names...)
	hosts.Private = !local
	return hosts
}
