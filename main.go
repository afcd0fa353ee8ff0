// Roget is a FHIR R4 terminology engine and resource server: code systems, value sets,
// concept maps and stored resources of every type, over HTTP and from the terminal. As a
// library, use the packages below this one.
package main

import (
	"os"

	"github.com/roget-health/roget/cliadapter/backend"
)

// version is set when a release is built: -ldflags "-X main.version=v1.2.3".
var version string

func main() { os.Exit(backend.Main(version)) }
