package cliadapter

import (
	"net/netip"
	"time"

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
	// Cert and Key are the files of the certificate for TLS; "" for plain HTTP. ClientCA has the
	// issuers of clients' certificates, which ClientOptional lets them do without.
	Cert, Key, ClientCA string
	ClientOptional      bool
	// HSTS is how long browsers shall use https only; 0 for no limit on them.
	HSTS time.Duration
}

// edgeFlags are about what is between the clients and the service.
func edgeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "base-url", Usage: "`URL` Public address of the service for links, such as https://tx.example or https://host.example/fhir. By default each request's own."},
		&cli.StringSliceFlag{Name: "host", Usage: "`NAME` Name under which clients reach the service; *.example.org for all below, * for any. That of --base-url and localhost need none."},
		&cli.StringSliceFlag{Name: "trusted-proxy", Usage: "`CIDR` Network or address of a reverse proxy whose X-Forwarded headers are believed, such as 10.0.0.0/8."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "proxy-header", Value: "x-forwarded", Usage: "Headers of trusted proxies: x-forwarded for X-Forwarded-For, -Proto and -Host, or forwarded for Forwarded (RFC 7239)."}, Choices: []string{"x-forwarded", "forwarded"}},
		&cli.StringFlag{Name: "tls-cert", TakesFile: true, Usage: "`FILE` Certificate in PEM with those of its issuers; the service then speaks HTTPS. Read again when it changes."},
		&cli.StringFlag{Name: "tls-key", TakesFile: true, Usage: "`FILE` Private key of --tls-cert, in PEM."},
		&cli.StringFlag{Name: "tls-client-ca", TakesFile: true, Usage: "`FILE` Issuers of the certificates that clients must show, in PEM."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "tls-client-auth", Value: "required", Usage: "Whether clients may do without a certificate when --tls-client-ca is set."}, Choices: []string{"required", "optional"}},
		&cli.StringFlag{Name: "hsts", Value: "0", Usage: "`DURATION` How long browsers that came over HTTPS shall use nothing else (Strict-Transport-Security), such as 8760h; 0 for not at all."},
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
	o.Edge.Cert, o.Edge.Key, o.Edge.ClientCA = inv.Text("tls-cert"), inv.Text("tls-key"), inv.Text("tls-client-ca")
	o.Edge.ClientOptional = inv.Text("tls-client-auth") == "optional"
	switch {
	case (o.Edge.Cert == "") != (o.Edge.Key == ""):
		return command.Usagef("--tls-cert and --tls-key need each other")
	case o.Edge.ClientCA != "" && o.Edge.Cert == "":
		return command.Usagef("--tls-client-ca needs --tls-cert and --tls-key")
	}
	var err error
	o.Edge.HSTS, err = inv.Duration("hsts")
	return err
}

// parseNetwork parses a network in CIDR notation, or a single address.
func parseNetwork(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap().Prefix(addr.Unmap().BitLen())
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}
