// Package platform is a client of the platform's web API, majors 41, 42 and 43.
//
// A client holds no authentication of its own: it asks an auth.Provider for headers before
// each request. Connect finds the address the platform lives at and binds to its major;
// what differs between majors is a table, Traits, and a few functions, Wire. Resources are
// reached through accessors: client.System().Info(ctx). Packages v41, v42 and v43 offer
// the same surface with the major pinned.
//
// "Section 2.3" in comments is of the platform toolkit's specification.
package platform
