//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// mapFile maps a file into memory, read-only, for the life of the process.
func mapFile(file *os.File, size int64) ([]byte, error) {
	if size <= 0 || uint64(size) > maxBlob {
		return nil, errors.ErrUnsupported
	}
	return syscall.Mmap(int(file.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
}
