// Package catalogue knows the types of the platform and their fields, for the command
// schema, for names in completions and for warnings about fields nobody knows. Platform
// toolkit, section 4.
//
// A server describes its types in two views: its schemas of metadata, and an OpenAPI
// document of all it sends and takes. Each view of each version is a [Catalogue], plain
// data, made of the server's own document by [FromSchemas] or [FromOpenAPI]. A [Library]
// finds a type in what is kept in a [Store] on disk, in what is embedded, or on the server,
// which it meets as a [Fetcher] only. What is embedded are facts written down by hand: the
// names and addresses of the types that are commonly used, and the fields of a dozen.
//
// Everything is deterministic and safe for concurrent use.
package catalogue
