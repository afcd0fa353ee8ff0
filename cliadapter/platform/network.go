package platform

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
)

// maxCA limits the size of a file of certificates.
const maxCA = 4 << 20

// networkFlags are flags that only the commands of the platform have: serve has another --timeout.
func networkFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "timeout", Usage: "`DURATION` Maximum time to wait for a response of the platform, and for each further part of it. By default 30s."}},
		&command.Flag{StringFlag: cli.StringFlag{Name: "ca-file", Usage: "`FILE` PEM file of certificates to trust besides those of the system."}},
	}
}

// clientOptions returns the options of every client that a command makes. GETs are retried.
func (inv *invocation) clientOptions() (platform.Options, error) {
	options, err := inv.networkOptions()
	if err != nil {
		return options, err
	}
	if options.Transport, err = inv.transport(); err != nil {
		return options, err
	}
	options.TLS = nil
	options.AllowFallback = true
	options.UserAgent = "roget/" + cmp.Or(inv.cli.Version, "devel")
	options.ConnectionCache = inv.connectionCache()
	options.Retry = &platform.RetryPolicy{ReadsOnly: true, Wait: inv.cli.Wait}
	if inv.ErrTerminal {
		options.Retry.Notice = func(pause time.Duration, why string) {
			inv.Notice("retrying in %.3g s: %s", pause.Seconds(), why)
		}
	}
	if inv.Anywhere("debug") {
		options.Debug = inv.Err
	}
	return options, nil
}

// transport returns what sends the requests of a command, logins included.
func (inv *invocation) transport() (http.RoundTripper, error) {
	if inv.sender != nil {
		return inv.sender, nil
	}
	options, err := inv.networkOptions()
	if err != nil {
		return nil, err
	}
	if inv.sender = inv.cli.Transport; inv.sender == nil {
		inv.sender, err = options.RoundTripper()
	}
	return inv.sender, err
}

// networkOptions returns what --timeout and --ca-file say.
func (inv *invocation) networkOptions() (options platform.Options, err error) {
	if text := inv.Nearest("timeout"); text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout <= 0 {
			return options, command.Usagef("flag --timeout must be a duration such as 30s or 2m, not %q", text)
		}
		options.ReadTimeout, options.ConnectTimeout = timeout, timeout
	}
	path := inv.Nearest("ca-file")
	if path == "" {
		return options, nil
	}
	text, err := readFile(path, maxCA)
	if err != nil {
		return options, fmt.Errorf("--ca-file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // there are none
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return options, fmt.Errorf("--ca-file: %s has no certificate; it needs blocks that begin with -----BEGIN CERTIFICATE-----", path)
	}
	options.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return options, nil
}
