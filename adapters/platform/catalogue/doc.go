// Package catalogue describes the types of the platform and their fields. The command schema, the
// completion of names and the warnings about unknown fields use it. Platform toolkit, section 4.
//
// A server describes its types in two views: its metadata schemas, and an OpenAPI document of
// everything that it sends and accepts. A [Catalogue] is one view of one version, made of the server's
// document by [FromSchemas] or [FromOpenAPI]. A [Library] finds a type in the catalogues that a [Store]
// has on disk, in the embedded catalogue, or on the server, which it asks through a [Fetcher]. The
// embedded catalogue was written by hand: the names, endpoints and fields of the metadata types, as far as
// they are known.
//
// All functions are deterministic and safe for concurrent use.
package catalogue
