package backend

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/roget-health/roget/access"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/httpadapter/authn/bearer"
)

const (
	smartKept  = 5 * time.Minute // how long the discovery document of an issuer is used
	smartRetry = 5 * time.Second // how long an issuer is not asked again that did not answer
	smartTime  = 5 * time.Second // for one question
)

// smartSource makes the SMART configuration from the discovery document of the first issuer. Where the
// options name both endpoints, it needs no issuer.
type smartSource struct {
	access    *cliadapter.AccessOptions
	now       func() time.Time
	questions sync.WaitGroup // that are asked in the background

	mu     sync.Mutex
	config *httpadapter.SMARTConfiguration // nil until the issuer has answered
	due    time.Time                       // when the issuer is asked again; zero before the first time
}

func newSMART(o *cliadapter.AccessOptions) *smartSource {
	return &smartSource{access: o, now: time.Now}
}

// source returns the function for the handler; nil without issuers.
func (s *smartSource) source() func(context.Context) (*httpadapter.SMARTConfiguration, error) {
	if s == nil {
		return nil
	}
	return s.configuration
}

// configuration returns the configuration, at most smartKept old if the issuer answers. Only the first
// request waits for the issuer; later ones have it asked in the background.
func (s *smartSource) configuration(ctx context.Context) (*httpadapter.SMARTConfiguration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	switch now := s.now(); {
	case s.due.IsZero():
		s.learn(s.ask(ctx))
	case !now.Before(s.due):
		s.due = now.Add(smartRetry)
		s.questions.Go(func() {
			d, err := s.ask(ctx)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.learn(d, err)
		})
	}
	if s.config == nil {
		return nil, fmt.Errorf("%w: the issuer does not answer", access.ErrUnavailable)
	}
	return s.config, nil
}

// ask returns the discovery document of the issuer. An issuer whose keys are in a file may have none,
// so it is not asked if the options have all that clients need.
func (s *smartSource) ask(ctx context.Context) (*bearer.Discovery, error) {
	first := s.access.Issuers[0]
	if s.named() && first.Keys != "" {
		return s.undiscovered(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, smartTime)
	defer cancel()
	return bearer.Discover(ctx, nil, first.URL)
}

// named reports whether the options name the endpoints that clients need.
func (s *smartSource) named() bool {
	return s.access.AuthorizationURL != "" && s.access.TokenURL != ""
}

// undiscovered returns what is known of an issuer without its discovery document. SMART App Launch
// requires PKCE with S256.
func (s *smartSource) undiscovered() *bearer.Discovery {
	return &bearer.Discovery{
		Issuer: s.access.Issuers[0].URL, CodeChallengeMethods: []string{"S256"}, GrantTypes: []string{"authorization_code"},
	}
}

// learn takes up the answer of the issuer. Without one, the last answer stays in use, else what the
// options name. The caller holds s.mu.
func (s *smartSource) learn(d *bearer.Discovery, err error) {
	s.due = s.now().Add(smartKept)
	if err != nil {
		s.due = s.now().Add(smartRetry)
		if s.config != nil || !s.named() {
			return
		}
		d = s.undiscovered()
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
