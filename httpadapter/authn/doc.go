// Package authn has the ways in which a request shows who makes it: static tokens, passwords and
// client certificates. Tokens of an authorization server are in the package bearer below it.
//
// The files of tokens and of passwords are read again when they change. A file that has become
// unreadable or wrong leaves the last good content in use.
package authn
