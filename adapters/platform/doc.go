// Package platform is a client of the web API of DHIS2-compatible servers, majors 41 to 43. The
// project calls such a server "the platform".
//
// A client holds no credentials: it asks an auth.Provider for headers before each request. Connect
// finds the canonical URL of the platform and binds the client to its major version. Differences
// between majors are in a table, Features, and a few functions, Codec. Accessors reach the
// resources: client.System().Info(ctx). Packages v41, v42 and v43 offer the same API with the
// major pinned.
//
// "Platform toolkit" in comments is the specification of the client.
package platform
