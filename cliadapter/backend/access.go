package backend

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/access/policy"
	"github.com/roget-health/roget/adapters/memory"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/httpadapter/authn"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
	"github.com/roget-health/roget/resources"
)

// accessControl is what decides who may use a service. The zero accessControl lets everybody do
// everything.
type accessControl struct {
	authenticators []httpadapter.Authenticator // in the order in which they are asked
	authorizer     httpadapter.Authorizer      // nil: what scopes permit
	policy         *policy.File                // nil without a file
	bearer         *bearer.Authenticator       // nil without issuers
	smart          func(context.Context) (*httpadapter.SMARTConfiguration, error)
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
		a.smart = newSMART(own).configuration
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

// smartKept is how long the discovery document of an issuer is used.
const smartKept = 5 * time.Minute

// smartSource makes the SMART configuration from the discovery document of the first issuer.
type smartSource struct {
	access *cliadapter.AccessOptions
	mu     sync.Mutex
	config *httpadapter.SMARTConfiguration // nil until the issuer was asked
	failed error                           // why it could not be asked the last time
	asked  time.Time
}

func newSMART(o *cliadapter.AccessOptions) *smartSource {
	return &smartSource{access: o}
}

// configuration returns the configuration, at most smartKept old if the issuer can be asked.
func (s *smartSource) configuration(ctx context.Context) (*httpadapter.SMARTConfiguration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := smartKept
	if s.failed != nil {
		kept = 5 * time.Second
	}
	if s.asked.IsZero() || time.Since(s.asked) > kept {
		s.ask(context.WithoutCancel(ctx))
	}
	if s.config == nil {
		return nil, fmt.Errorf("%w: the issuer does not answer", access.ErrUnavailable)
	}
	return s.config, nil
}

func (s *smartSource) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var d *bearer.Discovery
	first := s.access.Issuers[0]
	s.asked = time.Now()
	if s.access.AuthorizationURL != "" && s.access.TokenURL != "" && first.Keys != "" { // the issuer may have no discovery document
		d = &bearer.Discovery{Issuer: first.URL, CodeChallengeMethods: []string{"S256"}, GrantTypes: []string{"authorization_code"}}
	} else if d, s.failed = bearer.Discover(ctx, nil, first.URL); s.failed != nil {
		return
	}
	config := &httpadapter.SMARTConfiguration{
		Issuer: d.Issuer, JWKSURI: d.JWKSURI, AuthorizationEndpoint: d.AuthorizationEndpoint, TokenEndpoint: d.TokenEndpoint,
		TokenAuthMethods: d.TokenAuthMethods, GrantTypes: d.GrantTypes, RegistrationEndpoint: d.RegistrationEndpoint, Scopes: d.Scopes,
		ResponseTypes: d.ResponseTypes, ManagementEndpoint: d.ManagementEndpoint, IntrospectionEndpoint: d.IntrospectionEndpoint,
		RevocationEndpoint: d.RevocationEndpoint, CodeChallengeMethods: d.CodeChallengeMethods, Capabilities: d.Capabilities,
	}
	if s.access.AuthorizationURL != "" {
		config.AuthorizationEndpoint = s.access.AuthorizationURL
	}
	if s.access.TokenURL != "" {
		config.TokenEndpoint = s.access.TokenURL
	}
	if len(config.Capabilities) == 0 { // what this server does with scopes, whatever the issuer says
		config.Capabilities = []string{"permission-v1", "permission-v2", "permission-patient", "permission-user"}
	}
	s.config = config
}

// Scopes passes a service on the sources in src to use.
func (b Backend) Scopes(ctx context.Context, src cliadapter.Sources, obs cliadapter.Observer, use func(*resources.Service) error) error {
	return b.Query(ctx, src, obs, func(eng *engine.Engine) error {
		return use(resources.NewService(memory.New(), eng, resources.WithTerminology(eng)))
	})
}
