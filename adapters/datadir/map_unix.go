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

// unmap ends a mapping that nobody refers to.
func unmap(m []byte) { _ = unix.Munmap(m) }

// release frees the pages of a part of a mapping, which must start on a page. It is only advice:
// used pages are read from the file again.
func release(part []byte) {
	_ = unix.Madvise(part, unix.MADV_DONTNEED)
}
