// Package platformtest is a platform double for tests: an HTTP server in the process of the test that
// implements the web API of a major version on real state. It checks credentials, supports fields,
// filters, order and pages, records requests, and misbehaves if a test asks for it.
//
// Its initial objects are always the same: two users, three roles, a group, two apps and an app catalogue,
// a route, some metadata. Options and Put change them. Platform toolkit, section 8.2.
package platformtest
