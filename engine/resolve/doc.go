// Package resolve finds and compiles what requests name. A Source sees one state of the
// catalogue by the rules of one request; a Target is a value set it found: published,
// implicit, or given with the request. Compiled sets are cached.
package resolve
