//go:build unix

package backend

import (
	"math"
	"syscall"
)

// openFiles returns how many files the process may open. Go has raised the soft limit to the hard one.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur) //nolint:unconvert // a signed number on some systems
}
