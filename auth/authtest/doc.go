// Package authtest is an authorization server for tests, a real one (ory/fosite) behind
// the addresses of the platform: discovery, authorize with a login page and consent,
// token, signing keys, user info, and /api/me, which takes the tokens. It can be told to
// misbehave. A scripted browser signs in.
//
// It is a module of its own, so that what it needs never reaches a build of the others.
package authtest
