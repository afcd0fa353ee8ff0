//go:build unix

package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/roget-health/roget/cliadapter"
)

// checkOwner returns an error if root is about to write to a data folder of another user, who could
// not read what root leaves there: a server of that user would not start again. The folder of packs
// decides, where there is one, because root may serve from a folder that another user made.
func checkOwner(data string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Join(data, packFolder))
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	name := strconv.FormatUint(uint64(owner.Uid), 10)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return &cliadapter.UsageError{Err: fmt.Errorf("the data folder %s belongs to user %s, who could not read what root writes there; "+
		"run the command as that user, with runuser -u or sudo -u", data, name)}
}
