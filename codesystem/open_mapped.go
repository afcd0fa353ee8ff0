//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package codesystem

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens the snapshot in a file. The file is mapped into memory and stays mapped for the life
// of the process; on systems without mapping (Windows) it is read. The checksum is verified by
// reading, so that only the pages used later count as memory of the process. The file must not
// change while it is open: replace it by renaming. Errors: those of the file system, ErrForeign,
// ErrSnapshotVersion, ErrDamaged.
func Open(path string) (*Index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	about, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := about.Size()
	if err := Verify(f, 0, size); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s: map: %w", path, err)
	}
	x, err := FromBytes(data, false)
	if err != nil {
		// Nothing refers to the mapping any more. Failing to unmap it only costs addresses.
		_ = unix.Munmap(data)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// Checking the structure touched pages that may never be needed again. Releasing them is only
	// advice: they are read from the file when needed.
	_ = unix.Madvise(data, unix.MADV_DONTNEED)
	return x, nil
}
