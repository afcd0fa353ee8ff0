//go:build !unix

package backend

import "math"

// openFiles returns how many files the process may open, which this system does not limit.
func openFiles() uint64 { return math.MaxUint64 }
