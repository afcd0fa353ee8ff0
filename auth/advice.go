package auth

// Advice for a server whose configuration lacks a key that OAuth2 needs, by the symptom. The server
// reads its configuration file at start. Platform toolkit, section 1.6.8.
const (
	// AdviceServer is for status 404 of the discovery document or of /oauth2/authorize:
	// oauth2.server.enabled is missing.
	AdviceServer = "the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on in the server configuration and restart"
	// AdviceLogin is for status 500 of /oauth2/authorize: oidc.oauth2.login.enabled is missing,
	// or the registered client is incomplete.
	AdviceLogin = "set oidc.oauth2.login.enabled = on in the server configuration and restart; or the registered client has empty clientSettings or tokenSettings: register it again"
	// AdviceJWT is for status 401 of every call with a token:
	// oidc.jwt.token.authentication.enabled is missing.
	AdviceJWT = "log in again; if no token is ever accepted, set oidc.jwt.token.authentication.enabled = on in the server configuration and restart"
	// AdviceIssuer is for status 401 because of the issuer: server.base.url or
	// oidc.provider.<name> is missing.
	AdviceIssuer = "set server.base.url to the address clients use, register it as an oidc.provider.<name> with issuer_uri, authorization_uri, token_uri and jwk_uri, and restart; otherwise API calls answer 401, invalid issuer"
)
