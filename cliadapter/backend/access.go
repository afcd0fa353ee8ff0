package backend

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"

	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/httpadapter/authn"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/uiadapter"
)

// accessControl is what decides who may use a service. The zero accessControl lets everybody do
// everything.
type accessControl struct {
	authenticators []httpadapter.Authenticator // in the order in which they are asked
	authorizer     httpadapter.Authorizer      // nil: what scopes permit
	policy         *policy.File                // nil without a file
	bearer         *bearer.Authenticator       // nil without issuers
	smart          *smartSource                // nil without issuers
	sessions       *uiadapter.Sessions         // of the page for browsers, nil if nobody is asked who they are
}

// openAccess reads the files that say who may use a service. It passes the scopes of the policy to
// check, unless that is nil.
func openAccess(o cliadapter.ServeOptions, check policy.Check) (a accessControl, err error) {
	own := &o.Access
	if own.Tokens != "" {
		tokens, err := authn.OpenTokens(own.Tokens, o.Logger)
		if err != nil {
			return a, fmt.Errorf("--auth-tokens: %w", err)
		}
		a.authenticators = append(a.authenticators, tokens)
	}
	if len(own.Issuers) > 0 {
		var list []bearer.Issuer
		for _, i := range own.Issuers {
			list = append(list, bearer.Issuer{URL: i.URL, Keys: i.Keys, Audiences: i.Audiences, Roles: own.Roles})
		}
		if a.bearer, err = bearer.New(list, bearer.Options{Skew: max(own.Skew, 1), Logger: o.Logger}); err != nil {
			return a, fmt.Errorf("--auth-issuer: %w", err)
		}
		a.authenticators = append(a.authenticators, a.bearer)
		a.smart = newSMART(own)
	}
	if ask := &own.Introspection; ask.URL != "" {
		asking, err := bearer.NewIntrospector(bearer.Introspection{
			URL: ask.URL, Client: ask.Client, SecretFile: ask.SecretFile, Audiences: ask.Audiences, Roles: own.Roles, Keep: ask.Keep,
		}, bearer.Options{Skew: max(own.Skew, 1), Logger: o.Logger})
		if err != nil {
			return a, fmt.Errorf("--auth-introspection: %w", err)
		}
		a.authenticators = append(a.authenticators, asking)
	}
	if own.Basic != "" {
		basic, err := authn.OpenBasic(own.Basic, o.Logger)
		if err != nil {
			return a, fmt.Errorf("--auth-basic: %w", err)
		}
		a.authenticators = append(a.authenticators, basic)
	}
	if len(a.authenticators) > 0 && o.Page {
		others := make([]uiadapter.Authenticator, len(a.authenticators))
		for i, other := range a.authenticators {
			others[i] = other
		}
		if a.sessions, err = uiadapter.NewSessions(nil, others...); err != nil {
			return a, err
		}
		a.authenticators = append(a.authenticators, a.sessions)
	}
	if own.Certificates {
		a.authenticators = append(a.authenticators, authn.Certificates{})
	}
	if own.Policy != "" {
		if a.policy, err = policy.Open(own.Policy, check, o.Logger); err != nil {
			return a, fmt.Errorf("--auth-policy: %w", err)
		}
		a.authorizer = a.policy
	}
	return a, nil
}

// start keeps keys and the policy fresh until the function that it returns is called.
func (a *accessControl) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	if a.bearer != nil {
		group.Go(func() { a.bearer.Run(ctx) })
	}
	if a.policy != nil {
		group.Go(func() { a.policy.Watch(ctx) })
	}
	return func() {
		cancel()
		group.Wait()
		if a.smart != nil {
			a.smart.questions.Wait()
		}
	}
}

// warnIfOpen says that everybody on the network may do everything.
func warnIfOpen(o cliadapter.ServeOptions, addr net.Addr) {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsLoopback() || o.Access.Guarded() {
		return
	}
	o.Logger.Warn("NO AUTHENTICATION: everybody who reaches this address may read, change and delete everything; "+
		"use --auth-issuer, --auth-tokens or --auth-basic, or listen on 127.0.0.1", "addr", addr.String())
}

// warnIfReadable says which files with secrets the other users of the machine can read. The files of
// static tokens and policies hold none.
func warnIfReadable(o cliadapter.ServeOptions) {
	if runtime.GOOS == "windows" { // has no such modes
		return
	}
	for flag, path := range map[string]string{
		"--auth-basic": o.Access.Basic, "--auth-introspection-secret-file": o.Access.Introspection.SecretFile, "--tls-key": o.Edge.Key,
	} {
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().Perm()&0o004 != 0 {
			o.Logger.Warn("every user of this machine can read a file with secrets; run chmod o-r on it", "flag", flag, "file", path)
		}
	}
}

// Scopes passes a service on the sources in src to use.
func (b Backend) Scopes(ctx context.Context, src cliadapter.Sources, obs cliadapter.Observer, use func(*resources.Service) error) error {
	return b.Query(ctx, src, obs, func(eng *engine.Engine) error {
		return use(resources.NewService(memory.New(), eng, resources.WithTerminology(eng)))
	})
}
