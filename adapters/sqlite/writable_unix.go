//go:build darwin || linux

package sqlite

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/roget-health/roget/resources"
)

// writable returns an error if a file cannot be written or its disk has less than room bytes. It
// does not open the file, because closing it would release the locks of SQLite.
func writable(path string, room uint64) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return fmt.Errorf("%w: %s: %w", resources.ErrUnavailable, path, err)
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &disk); err != nil {
		return fmt.Errorf("%w: %s: %w", resources.ErrUnavailable, path, err)
	}
	if free := uint64(disk.Bavail) * uint64(disk.Bsize); free < room { //nolint:unconvert // the types differ between systems
		return fmt.Errorf("%w: the disk of %s has only %d bytes left", resources.ErrUnavailable, path, free)
	}
	return nil
}
