package auth

// What to do where the server's configuration lacks a key that OAuth2 needs: a row for each
// of the five, by what its lack does. Keys are added to the configuration file, which is
// read at start. Platform toolkit, section 1.6.8.
const (
	// AdviceServer is for 404 of discovery and of /oauth2/authorize: oauth2.server.enabled.
	AdviceServer = "the instance exposes no OAuth2/OIDC endpoints; set oauth2.server.enabled = on in the server configuration and restart"
	// AdviceLogin is for 500 of /oauth2/authorize: oidc.oauth2.login.enabled, or the
	// registered client.
	AdviceLogin = "set oidc.oauth2.login.enabled = on in the server configuration and restart; or the registered client has empty clientSettings or tokenSettings: register it again"
	// AdviceJWT is for 401 of every call with a token:
	// oidc.jwt.token.authentication.enabled.
	AdviceJWT = "log in again; if no token is ever accepted, set oidc.jwt.token.authentication.enabled = on in the server configuration and restart"
	// AdviceIssuer is for 401 because of the issuer: server.base.url and
	// oidc.provider.<name>.
	AdviceIssuer = "set server.base.url to the address clients use, register it as an oidc.provider.<name> with issuer_uri, authorization_uri, token_uri and jwk_uri, and restart; otherwise API calls answer 401, invalid issuer"
)
