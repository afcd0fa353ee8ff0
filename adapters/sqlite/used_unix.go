//go:build darwin || linux

package sqlite

import (
	"os"

	"golang.org/x/sys/unix"
)

// The bytes that each connection of SQLite to a file in WAL mode locks for as long as it is open.
const (
	sharedFirst = 0x40000002
	sharedSize  = 510
)

// Used reports whether another process has the store in the file at path open. Call it only where
// this process has not: closing the file would release its locks.
func Used(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: sharedFirst, Len: sharedSize}
	if err := unix.FcntlFlock(file.Fd(), unix.F_GETLK, &lock); err != nil {
		return false, err
	}
	return lock.Type != unix.F_UNLCK, nil
}
