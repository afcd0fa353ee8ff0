// Package auth authenticates requests to the platform. It defines the Provider interface and the
// static providers (user name and password, personal access token, session cookie), the Secret
// type, which nothing prints, and the interface of stores for OAuth2 tokens.
//
// The package uses neither network nor files. The OAuth2 flow is in auth/oauth2, the stores are in
// auth/tokenstore and auth/keyring, profiles are in auth/profile, and auth/login combines them.
package auth
