package backend

import (
	"context"
	"net/http"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/httpadapter"
	"github.com/roget-health/roget/uiadapter"
)

// pages returns what makes the pages for browsers, or nil if they are left out.
func (s *Service) pages(eng *engine.Engine, o cliadapter.ServeOptions) func(httpadapter.PageServices) (http.Handler, error) {
	if !o.Page {
		return nil
	}
	return func(services httpadapter.PageServices) (http.Handler, error) {
		return uiadapter.New(uiadapter.Config{
			Engine:  eng,
			FHIR:    services.FHIR,
			Address: services.Address,
			Explain: services.Explain,
			Login:   services.Login,

			Sessions:  s.access.sessions,
			Passwords: o.Access.Basic != "",
			OAuth:     s.pageOAuth(&o.Access),

			Stored:  true,
			Facts:   s.pageFacts(eng, o),
			Logger:  o.Logger,
			Version: o.Version.Version,
		})
	}
}

// pageFacts returns what the page about the server shows.
func (s *Service) pageFacts(*engine.Engine, cliadapter.ServeOptions) func(context.Context) uiadapter.Facts {
	return func(context.Context) uiadapter.Facts { return uiadapter.Facts{} }
}

// pageOAuth says how people sign in at the first issuer; nil if they cannot.
func (s *Service) pageOAuth(o *cliadapter.AccessOptions) *uiadapter.OAuth {
	if o.PageClient == "" || s.access.smart == nil {
		return nil
	}
	return &uiadapter.OAuth{ClientID: o.PageClient, Scopes: o.PageScopes, Endpoints: func(ctx context.Context) (authorize, token string, err error) {
		config, err := s.access.smart.configuration(ctx)
		if err != nil {
			return "", "", err
		}
		return config.AuthorizationEndpoint, config.TokenEndpoint, nil
	}}
}
