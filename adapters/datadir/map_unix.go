//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datadir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a file into memory, read-only, for the life of the process.
func mapFile(file *os.File, size int64) ([]byte, error) {
	if size <= 0 || uint64(size) > maxBlob {
		return nil, errors.ErrUnsupported
	}
	return unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}

// release returns back the pages of part of a mapping, which must begin on a page. It is
// advice: they are read from the file again when they are used.
func release(part []byte) {
	_ = unix.Madvise(part, unix.MADV_DONTNEED)
}
