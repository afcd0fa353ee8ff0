package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// heapHeadroom is how much a server may allocate between two collections of garbage at
// least. What it keeps for itself is little, indexes lie in mapped files: by the measure
// of the runtime, which is a multiple of what is kept, it would collect many times a
// second.
const heapHeadroom = 64 << 20

// holdHeadroom makes the runtime wait for heapHeadroom, unless GOGC or GOMEMLIMIT say how
// much memory to use. The memory it reserves for that is never touched, so it takes up no
// room. It holds until release is called.
func holdHeadroom() (release func()) {
	if os.Getenv("GOGC") != "" || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	reserved := make([]byte, heapHeadroom)
	return func() { runtime.KeepAlive(reserved) }
}
