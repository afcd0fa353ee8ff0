// Package authtest is an authorization server for tests. It puts a complete implementation,
// ory/fosite, behind the endpoints of the platform: discovery, authorize with a login page and
// consent, token, signing keys, user info, and /api/me, which accepts the tokens. Switches make it
// misbehave. A scripted browser signs in.
//
// The package is a separate module, so that its dependencies never reach the build of the program.
package authtest
