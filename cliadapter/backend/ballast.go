package backend

import (
	"os"
	"runtime"
)

// ballastSize is the least growth of the heap between two garbage collections, in bytes.
const ballastSize = 64 << 20

// ballast keeps the garbage collector from running too often. Code systems are mapped files, so
// the heap of a server is only a few MiB. The collector runs whenever the heap has doubled:
// dozens of times a second under load, which took a tenth of the processor time and more. A
// large object that is never written to counts as heap but uses no physical memory. There is no
// ballast where GOGC or GOMEMLIMIT is set. The returned function drops the ballast.
func ballast() (drop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	weight := make([]byte, ballastSize)
	return func() { runtime.KeepAlive(weight) }
}
