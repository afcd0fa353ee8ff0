package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// createTemporary makes the file that publishFile will rename to path. Only the holder
// of the writer's lock does so, so the name needs no chance in it.
func createTemporary(path string) (*os.File, error) {
	return os.OpenFile(path+temporarySuffix, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o644)
}

// publishFile returns a finished temporary file its name, durably: the content is on the
// medium before the name, and the name before it returns. A crash at any moment leaves
// the old file or the new one.
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
	return syncFolder(filepath.Dir(path))
}

// syncRead makes the content of a file durable that is open for reading.
func syncRead(file *os.File) error {
	err := file.Sync()
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Windows does so only for a file that is open for writing.
	writable, err := os.OpenFile(file.Name(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer writable.Close()
	return writable.Sync()
}

// syncFolder makes the names in a folder durable. Windows has no such call and needs none.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
