//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// lockFolder locks a folder, exclusively or together with others. It reports false if somebody else's
// lock is in the way.
func lockFolder(path string, exclusive bool) (release func(), free bool) {
	none := func() {}
	folder, err := os.Open(path)
	if err != nil {
		return none, true
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err = syscall.Flock(int(folder.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return func() { folder.Close() }, true
	}
	folder.Close()
	return none, !errors.Is(err, syscall.EWOULDBLOCK)
}
