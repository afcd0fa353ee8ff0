// Package oauth2 authenticates with the OAuth2 authorization code flow, always with PKCE S256. The
// user signs in with a browser, and a listener on the loopback interface receives one redirect.
// Tokens are stored and refreshed before they expire. The protocol is that of golang.org/x/oauth2.
// Platform toolkit, section 1.6.
package oauth2
