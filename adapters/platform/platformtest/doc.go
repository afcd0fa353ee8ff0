// Package platformtest is a platform for tests, in the process of the test: an HTTP server
// with the shapes of the platform's web API in one of its majors, and real state behind
// them. It checks credentials, answers with fields, filters, order and pages as asked,
// records what it was asked, and misbehaves where a test says so.
//
// Its world is small and always the same: two users, three roles, a group, two apps and a
// catalogue, a route, some metadata. Options and Put change it. Platform toolkit,
// section 8.2.
package platformtest
