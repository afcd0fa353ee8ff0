//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import (
	"errors"
	"os"
)

// try takes the lock, or returns nil if it is held. This system has no lock that ends with the
// process, so the lock is a file that exists while the lock is held.
func try(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path+".held", os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file.Close()
	return func() { os.Remove(path + ".held") }, nil
}
