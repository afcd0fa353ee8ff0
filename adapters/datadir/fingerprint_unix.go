//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package datadir

import (
	"os"

	"golang.org/x/sys/unix"
)

// fingerprintOf returns the fingerprint of an open file.
func fingerprintOf(file *os.File) (fingerprint, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &st); err != nil {
		return fingerprint{}, err
	}
	return fingerprint{
		Size:       st.Size,
		ModTime:    unix.TimespecToNsec(st.Mtim),
		ChangeTime: unix.TimespecToNsec(st.Ctim),
		Device:     uint64(st.Dev), //nolint:unconvert // its type is another one on other systems
		Inode:      uint64(st.Ino), //nolint:unconvert // likewise
	}, nil
}
