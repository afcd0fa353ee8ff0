//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package filelock

import "github.com/roget-health/roget/internal/durable"

// try takes the lock, or returns nil if it is held.
func try(path string) (unlock func(), err error) { return durable.TryLock(path) }
