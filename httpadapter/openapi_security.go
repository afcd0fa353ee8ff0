package httpadapter

import (
	"slices"

	"github.com/roget-health/roget/httpadapter/openapi"
)

// Names of security schemes.
const (
	schemeBearer      = "bearer"
	schemeOAuth2      = "oauth2"
	schemeBasic       = "basic"
	schemeCertificate = "certificate"
)

// schemes returns the kinds of authentication that the server accepts, as its Authenticators state
// them. One that states nothing is taken for one of bearer tokens, to which the server challenges.
func (d *describer) schemes() openapi.Map[*openapi.SecurityScheme] {
	var list openapi.Map[*openapi.SecurityScheme]
	add := func(name string, s *openapi.SecurityScheme) {
		if _, have := list.Find(name); !have {
			list.Add(name, s)
		}
	}
	for _, a := range d.h.Authenticators {
		scheme, service := "", ""
		if own, is := a.(interface{ Scheme() string }); is {
			scheme = own.Scheme()
		}
		if own, is := a.(interface{ Service() (code, display string) }); is {
			service, _ = own.Service()
		}
		switch {
		case scheme == "Basic":
			add(schemeBasic, &openapi.SecurityScheme{Type: "http", Scheme: "basic", Description: "A name and a password."})
		case service == "Certificates":
			add(schemeCertificate, &openapi.SecurityScheme{Type: "mutualTLS", Description: "A certificate of the client."})
		default:
			add(schemeBearer, &openapi.SecurityScheme{
				Type: "http", Scheme: "bearer", Description: "A token. What a request may do follows from its SMART scopes.",
			})
		}
	}
	if s := d.smart; s != nil && s.AuthorizationEndpoint != "" && s.TokenEndpoint != "" {
		list.Add(schemeOAuth2, &openapi.SecurityScheme{
			Type: "oauth2", Description: "Tokens of " + s.Issuer + ", sent as bearer tokens.", Flows: flows(s),
		})
	}
	return list
}

// flows returns the flows of OAuth 2.0 by which clients get tokens.
func flows(s *SMARTConfiguration) openapi.Map[*openapi.Flow] {
	scopes := openapi.Map[string]{}
	for _, scope := range s.Scopes {
		scopes.Add(scope, "A scope of the authorization server.")
	}
	list := openapi.Map[*openapi.Flow]{
		{Name: "authorizationCode", Value: &openapi.Flow{AuthorizationURL: s.AuthorizationEndpoint, TokenURL: s.TokenEndpoint, Scopes: scopes}},
	}
	if slices.Contains(s.GrantTypes, "client_credentials") {
		list.Add("clientCredentials", &openapi.Flow{TokenURL: s.TokenEndpoint, Scopes: scopes})
	}
	return list
}

// security returns the ways to authenticate a request, one of which is enough. With an Authorizer of
// its own a server may also serve requests without credentials.
func (d *describer) security() []openapi.Requirement {
	list := []openapi.Requirement{}
	for _, scheme := range d.schemes() {
		list = append(list, openapi.Requirement{scheme.Name: {}})
	}
	if _, scopes := d.h.Authorizer.(scopesAuthorizer); len(list) > 0 && !scopes {
		list = append(list, openapi.Requirement{})
	}
	return list
}
