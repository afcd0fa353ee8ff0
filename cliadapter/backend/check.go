package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/adapters/auditlog"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources"
)

// CheckServe returns an error for options that Serve refuses before it opens a store or a listener:
// addresses, the sources to load, the folder of the audit log, and the files of certificates,
// credentials and the policy. It reads no sources, so scopes of the policy are not compared with value
// sets.
func (Backend) CheckServe(ctx context.Context, o cliadapter.ServeOptions) error {
	if err := checkEdge(&o); err != nil {
		return err
	}
	if err := checkMemory(&o, os.DirFS("/")); err != nil {
		return err
	}
	if err := checkAddress("ops-addr", o.Operations.Addr); o.Operations.Addr != "" && err != nil {
		return err
	}
	if _, _, err := packsAt(o.Packs); err != nil {
		return err
	}
	if err := checkStore(o.Store); err != nil {
		return err
	}
	if _, err := openCertificate(&o); err != nil {
		return err
	}
	if _, err := formats.Groups(o.Load, formats.Settings{}); err != nil {
		return fmt.Errorf("--load: %w", err)
	}
	if o.Audit.Folder != "" {
		if err := auditlog.Usable(o.Audit.Folder); err != nil {
			return fmt.Errorf("--audit: %w", err)
		}
	}
	if scheme, _, _ := strings.Cut(o.Store, ":"); scheme == "memory" && o.Audit.EventsKeep > 0 {
		return errKeepsAll()
	}
	if _, err := openAccess(o, scopeForms()); err != nil {
		return err
	}
	svc := new(Service)
	defer svc.closeTracer()
	return svc.openTracer(ctx, o)
}

// scopeForms returns a check of the types and parameters of scopes.
func scopeForms() policy.Check {
	svc := resources.NewService(memory.New(), nil, resources.WithTerminology(engine.New()))
	return svc.CheckScopeForm
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
