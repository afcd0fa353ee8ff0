package auditlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Usable returns an error if Open could not make or write to a folder. It changes nothing. Whether
// another process writes to the folder does not matter.
func Usable(folder string) error {
	path, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s: %w", path, syscall.ENOTDIR)
		case err == nil:
			return writable(path)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		above := filepath.Dir(path)
		if above == path {
			return err
		}
		path = above
	}
}
