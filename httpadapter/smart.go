package httpadapter

import (
	"context"
	"encoding/json"
	"net/http"
)

// smartPath is where clients look for the SMART configuration, below a base
// (https://hl7.org/fhir/smart-app-launch/STU2/conformance.html).
const smartPath = "/.well-known/smart-configuration"

// SMARTConfiguration says where clients get tokens. Its fields are those of SMART App Launch 2 and of
// RFC 8414. Those that are empty are left out.
type SMARTConfiguration struct {
	Issuer                string   `json:"issuer,omitempty"`
	JWKSURI               string   `json:"jwks_uri,omitempty"`
	AuthorizationEndpoint string   `json:"authorization_endpoint,omitempty"`
	TokenEndpoint         string   `json:"token_endpoint,omitempty"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported,omitempty"`
	GrantTypes            []string `json:"grant_types_supported,omitempty"`
	RegistrationEndpoint  string   `json:"registration_endpoint,omitempty"`
	Scopes                []string `json:"scopes_supported,omitempty"`
	ResponseTypes         []string `json:"response_types_supported,omitempty"`
	ManagementEndpoint    string   `json:"management_endpoint,omitempty"`
	IntrospectionEndpoint string   `json:"introspection_endpoint,omitempty"`
	RevocationEndpoint    string   `json:"revocation_endpoint,omitempty"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported,omitempty"`
	Capabilities          []string `json:"capabilities,omitempty"`
}

// smartConfiguration responds to GET .well-known/smart-configuration. It is JSON, whatever the request
// accepts, and names the issuer, so it is the same below every base.
func (c *call) smartConfiguration() {
	config, err := c.h.SMART(c.r.Context())
	if err != nil {
		c.fail(err)
		return
	}
	body, err := json.Marshal(config)
	if err != nil {
		c.fail(err)
		return
	}
	c.write(http.StatusOK, valueJSON, body)
}

// smart returns the SMART configuration, nil if there is none or it cannot be had now, and a text that
// differs between configurations.
func (h *Handler) smart(ctx context.Context) (config *SMARTConfiguration, key string) {
	if h.SMART == nil {
		return nil, ""
	}
	config, err := h.SMART(ctx)
	if err != nil {
		return nil, ""
	}
	return config, " " + config.AuthorizationEndpoint + " " + config.TokenEndpoint
}

// The elements of CapabilityStatement.rest.security that this server sets.
type (
	security struct {
		Extension   []securityExtension `json:"extension,omitempty"`
		CORS        bool                `json:"cors,omitempty"`
		Service     []securityService   `json:"service,omitempty"`
		Description string              `json:"description,omitempty"`
	}
	securityExtension struct {
		URL       string        `json:"url"`
		Extension []endpointURI `json:"extension"`
	}
	endpointURI struct {
		URL      string `json:"url"`
		ValueURI string `json:"valueUri"`
	}
	securityService struct {
		Coding []securityCoding `json:"coding"`
		Text   string           `json:"text"`
	}
	securityCoding struct {
		System  string `json:"system"`
		Code    string `json:"code"`
		Display string `json:"display"`
	}
)

// security returns what the CapabilityStatement says about authentication, or nil if there is nothing
// to say.
func (h *Handler) security(smart *SMARTConfiguration) *security {
	s := &security{CORS: len(h.CORSOrigins) > 0}
	if !h.guarded() {
		if !s.CORS {
			return nil
		}
		return s
	}
	s.Description = "Requests need credentials and do what their SMART scopes permit."
	if h.SMART != nil {
		s.add("SMART-on-FHIR", "SMART-on-FHIR")
	}
	for _, a := range h.Authenticators {
		if own, is := a.(interface{ Service() (code, display string) }); is {
			s.add(own.Service())
		}
	}
	if smart == nil {
		return s
	}
	uris := securityExtension{URL: "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris"}
	for _, e := range [...]endpointURI{
		{"authorize", smart.AuthorizationEndpoint},
		{"token", smart.TokenEndpoint},
		{"register", smart.RegistrationEndpoint},
		{"manage", smart.ManagementEndpoint},
		{"introspect", smart.IntrospectionEndpoint},
		{"revoke", smart.RevocationEndpoint},
	} {
		if e.ValueURI != "" {
			uris.Extension = append(uris.Extension, e)
		}
	}
	if len(uris.Extension) > 0 {
		s.Extension = []securityExtension{uris}
	}
	return s
}

// add adds a way of authentication, by its code in the code system restful-security-service of R4.
func (s *security) add(code, display string) {
	for _, have := range s.Service {
		if have.Coding[0].Code == code {
			return
		}
	}
	const system = "http://terminology.hl7.org/CodeSystem/restful-security-service"
	s.Service = append(s.Service, securityService{Coding: []securityCoding{{system, code, display}}, Text: display})
}
