package filelock

import (
	"errors"
	"fmt"
	"syscall"
)

// sharingViolation is the Windows error for a file that another handle has opened exclusively.
const sharingViolation = syscall.Errno(32)

// try takes the lock, or returns nil if it is held. The lock is a file that is opened exclusively.
func try(path string) (unlock func(), err error) {
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
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = syscall.CloseHandle(handle) }, nil
}
