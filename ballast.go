package main

import (
	"os"
	"runtime"
)

// ballastSize is what the heap may grow by between two garbage collections at least.
const ballastSize = 64 << 20

// ballast keeps the collector from running all the time. A server's own heap is a few MiB,
// for code systems are mapped files, and the collector runs whenever a heap has doubled:
// dozens of times a second under load, which took a tenth of the processor and more. A large
// object that nobody writes to counts as heap, but the system gives no memory for it.
// Whoever sets GOGC or GOMEMLIMIT has decided otherwise. The result ends it.
func ballast() (drop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	weight := make([]byte, ballastSize)
	return func() { runtime.KeepAlive(weight) }
}
