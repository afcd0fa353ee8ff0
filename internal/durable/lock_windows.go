package durable

import (
	"errors"
	"fmt"
	"syscall"
)

// sharingViolation is the Windows error for a file that another handle has opened exclusively.
const sharingViolation = syscall.Errno(32)

// TryLock takes a lock, or returns nil if it is held: it opens the file without sharing, so that no
// other process can open it until this one closes it or ends.
func TryLock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s: %w", path, err)
	}
	return func() { _ = syscall.CloseHandle(handle) }, nil
}
