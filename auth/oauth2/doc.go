// Package oauth2 authenticates by OAuth2 with the authorization code flow: PKCE S256
// always, a browser and a listener for one request on the loopback interface, tokens that
// are kept in a store and refreshed before they expire. Platform toolkit, section 1.6.
package oauth2
