package backend

import "runtime"

// maxBallast is the largest ballast, in bytes.
const maxBallast = 64 << 20

// ballast keeps the garbage collector from running too often. Code systems are mapped files, so
// the heap of a server is only a few MiB. The collector runs whenever the heap has doubled:
// dozens of times a second under load, which took a tenth of the processor time and more. A
// large object that is never written to counts as heap but uses no physical memory. Its size is the
// least growth of the heap between two collections. The returned function drops the ballast.
func ballast(size int64) (drop func()) {
	weight := make([]byte, size)
	return func() { runtime.KeepAlive(weight) }
}
