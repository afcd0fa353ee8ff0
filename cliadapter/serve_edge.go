package cliadapter

import (
	"net/netip"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// EdgeOptions configure what is between the clients and the service.
type EdgeOptions struct {
	// BaseURL is the public address of the service, "" for the address of each request.
	BaseURL string
	// Hosts are the further names under which it answers.
	Hosts []string
	// TrustedProxies are the networks of the proxies whose headers are believed.
	TrustedProxies []netip.Prefix
	// ForwardedHeader reads Forwarded instead of X-Forwarded-For, -Proto and -Host.
	ForwardedHeader bool
}

// edgeFlags are about what is between the clients and the service.
func edgeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "base-url", Usage: "`URL` Public address of the service for links, such as https://tx.example or https://host.example/fhir. By default each request's own."},
		&cli.StringSliceFlag{Name: "host", Usage: "`NAME` Name under which clients reach the service; *.example.org for all below, * for any. That of --base-url and localhost need none."},
		&cli.StringSliceFlag{Name: "trusted-proxy", Usage: "`CIDR` Network or address of a reverse proxy whose X-Forwarded headers are believed, such as 10.0.0.0/8."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "proxy-header", Value: "x-forwarded", Usage: "Headers of trusted proxies: x-forwarded for X-Forwarded-For, -Proto and -Host, or forwarded for Forwarded (RFC 7239)."}, Choices: []string{"x-forwarded", "forwarded"}},
	}
}

func (inv *invocation) readEdge(o *ServeOptions) error {
	o.Edge.BaseURL, o.Edge.Hosts = inv.Text("base-url"), inv.List("host")
	for _, text := range inv.List("trusted-proxy") {
		network, err := parseNetwork(text)
		if err != nil {
			return command.Usagef("--trusted-proxy: %q is not a network such as 10.0.0.0/8 or an address such as 10.1.2.3", text)
		}
		o.Edge.TrustedProxies = append(o.Edge.TrustedProxies, network)
	}
	o.Edge.ForwardedHeader = inv.Text("proxy-header") == "forwarded"
	return nil
}

// parseNetwork parses a network in CIDR notation, or a single address.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap().Prefix(addr.Unmap().BitLen())
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}
