package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/roget-health/roget/internal/durable"
)

// createTemporary creates the file that publishFile renames to path. Only the holder of the
// writer's lock calls it, so the name need not be random.
func createTemporary(path string) (*os.File, error) {
	return os.OpenFile(path+temporarySuffix, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
}

// publishFile renames a finished temporary file to path durably: the content is synced before the
// rename, and the rename before publishFile returns. A crash at any moment leaves the old file or
// the new one.
func publishFile(file *os.File, path string) error {
	if err := file.Sync(); err != nil {
		return err
	}
	temporary := file.Name()
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// syncRead syncs a file that is open for reading.
func syncRead(file *os.File) error {
	err := file.Sync()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Windows syncs only files that are open for writing.
	writable, err := os.OpenFile(file.Name(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer writable.Close()
	return writable.Sync()
}
