package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/roget-health/roget/cliadapter"
)

// CheckServe returns an error for options that Serve refuses before it opens a store or a listener:
// addresses, and the files of certificates, credentials and the policy. Scopes of the policy are not
// compared with value sets, which only a server has loaded.
func (Backend) CheckServe(ctx context.Context, o cliadapter.ServeOptions) error {
	if err := checkEdge(&o); err != nil {
		return err
	}
	if err := checkAddress("ops-addr", o.Operations.Addr); o.Operations.Addr != "" && err != nil {
		return err
	}
	if err := checkStore(o.Store); err != nil {
		return err
	}
	if _, err := openCertificate(&o); err != nil {
		return err
	}
	if _, err := openAccess(o, nil); err != nil {
		return err
	}
	svc := new(Service)
	defer svc.closeTracer()
	return svc.openTracer(ctx, o)
}

// checkAddress returns a UsageError unless the address of a flag is one to listen on. It asks no name
// server.
func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return &cliadapter.UsageError{Err: fmt.Errorf("--%s: %w; use HOST:PORT, such as 127.0.0.1:8080", flag, err)}
	}
	return nil
}

// checkStore returns a UsageError unless there are stores with such an address.
func checkStore(address string) error {
	switch scheme, _, _ := strings.Cut(address, ":"); scheme {
	case "", "memory", "sqlite", "postgres", "postgresql":
		return nil
	}
	// The address may contain a password, so the message does not repeat it.
	return &cliadapter.UsageError{Err: errors.New("--store: the address of a store must be memory:, sqlite:PATH or postgres://HOST/NAME")}
}
