//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package runfolder

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps other processes from continuing a run until the file is closed or the process ends. It
// returns ErrBusy if another has it.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrBusy
	}
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) { // a file system without locks
		return nil
	}
	return err
}
