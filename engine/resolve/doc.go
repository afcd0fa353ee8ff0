// Package resolve finds the code systems and value sets that requests name, and compiles value
// sets. A Source is a view of one state of the catalogue by the version rules of one request. A
// Target is a value set it found: published, implicit, or given with the request. Compiled sets
// are cached.
package resolve
