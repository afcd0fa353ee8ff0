package auth

import (
	"slices"
	"strings"
)

// An Advice says what to do about a server whose configuration lacks a key that OAuth2 needs, by the
// symptom. The server reads its configuration file at start. Platform toolkit, section 1.6.8.
type Advice struct {
	// Server is for status 404 of the discovery document or of /oauth2/authorize:
	// oauth2.server.enabled is missing.
	Server string
	// Login is for status 500 of /oauth2/authorize: oidc.oauth2.login.enabled is missing, or the
	// registered client is incomplete.
	Login string
	// JWT is for status 401 of every call with a token: oidc.jwt.token.authentication.enabled is
	// missing.
	JWT string
	// Issuer is for status 401 because of the issuer: server.base.url or oidc.provider.<name> is
	// missing.
	Issuer string
}

// AdviceFor returns the advice for a server that needs certain keys in its configuration, and names no
// others. Without keys it is for a server of unknown version, and says which versions need a key.
func AdviceFor(keys []string) Advice {
	const (
		server  = "the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on in the server configuration and restart"
		client  = "the registered client has empty clientSettings or tokenSettings: register it again"
		again   = "log in again"
		baseURL = "set server.base.url to the address clients use"
		refused = "otherwise API calls answer 401, invalid issuer"

		login    = "set oidc.oauth2.login.enabled = on in the server configuration and restart"
		jwt      = "set oidc.jwt.token.authentication.enabled = on in the server configuration and restart"
		provider = "register it as an oidc.provider.<name> with issuer_uri, authorization_uri, token_uri and jwk_uri"
		before   = " (servers before 2.42.5 need that)"
	)
	needs := func(key string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, key) })
	}
	advice := Advice{server, client, again + "; if no token is ever accepted, " + baseURL + " and restart", baseURL + " and restart; " + refused}
	switch {
	case len(keys) == 0:
		advice.Login = login + before + "; or " + client
		advice.JWT = again + "; if no token is ever accepted, " + jwt + before
		advice.Issuer = baseURL + ", " + provider + before + ", and restart; " + refused
		return advice
	case needs("oidc.oauth2.login.enabled"):
		advice.Login = login + "; or " + client
	}
	if needs("oidc.jwt.token.authentication.enabled") {
		advice.JWT = again + "; if no token is ever accepted, " + jwt
	}
	if needs("oidc.provider.") {
		advice.Issuer = baseURL + ", " + provider + ", and restart; " + refused
	}
	return advice
}
