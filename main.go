// Roget is a FHIR R4 terminology engine and resource server: code systems, value sets,
// concept maps and stored resources of every type, over HTTP and from the terminal. As a
// library, use the packages below this one.
package main

import (
	"os"

	"github.com/roget-health/roget/cliadapter/backend"
)

// These are set when a release is built, with -ldflags "-X main.version=v1.2.3" and so on: the
// commit as a hash, and its date in the form of RFC 3339.
var version, commit, date string

func main() {
	os.Exit(backend.Main(backend.Release{Version: version, Commit: commit, Date: date}))
}
