//go:build unix

package authn

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner makes the owner and group of a file those of the file that it replaces.
func keepOwner(file *os.File, old os.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	want, is := old.Sys().(*syscall.Stat_t)
	have, same := info.Sys().(*syscall.Stat_t)
	if !is || !same || want.Uid == have.Uid && want.Gid == have.Gid {
		return nil
	}
	if err := file.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("%s belongs to another user or group and would not any more; run the command as its owner or as root: %w", old.Name(), err)
	}
	return nil
}
