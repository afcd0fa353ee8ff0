// Package auth has what authenticates requests to the platform: the contract of
// providers with the static ones (user name and password, personal access token, session
// cookie), secrets that nothing prints, and the contract of stores for OAuth2 tokens.
//
// It needs neither a network nor a file. The OAuth2 flow is in auth/oauth2, stores are in
// auth/tokenstore and auth/keyring, profiles in auth/profile, and auth/login puts them
// together.
package auth
