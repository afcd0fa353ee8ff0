package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/internal/durable"
)

// ErrLost is wrapped by the error of a store whose file is missing or empty, although what is beside
// it shows that there was one. Whoever took it for a new store would hide the loss.
var ErrLost = errors.New("the store is lost; put its file back, or restore a backup with roget restore")

const (
	// markerSuffix ends the name of the file beside a store that says that the store was made.
	markerSuffix = ".marker"
	walSuffix    = "-wal"

	markerText = `%s beside this file is a resource store of Roget. As long as this file is here,
no other store is begun in its place if it is missing or empty: restore a backup,
or remove this file to begin with an empty store.
`
)

// Exists reports whether there is a store in the file at path. A file without bytes is none yet: the
// first start of a program was interrupted. The error wraps ErrLost if there was a store.
func Exists(path string) (bool, error) {
	traces := tracesOf(path) // first, because another process may be making the store
	switch info, err := os.Stat(path); {
	case err == nil && info.Size() > 0:
		return true, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, failed(path, err)
	case len(traces) == 0:
		return false, nil
	case err == nil:
		return false, lost(path, "is empty", traces)
	}
	return false, lost(path, "is missing", traces)
}

// tracesOf returns the names of the files that show that there is or was a store. SQLite makes the
// write-ahead log after the first bytes of the file are on the disk.
func tracesOf(path string) (names []string) {
	for _, suffix := range [...]string{markerSuffix, walSuffix} {
		if _, err := os.Lstat(path + suffix); err == nil {
			names = append(names, filepath.Base(path)+suffix)
		}
	}
	return names
}

func lost(path, what string, traces []string) error {
	names := strings.Join(traces, " and ")
	return fmt.Errorf("SQLite store %s: the file %s, but there was a store (%s): %w; to begin with an empty store, remove %s", path, what, names, ErrLost, names)
}

// mark makes the file that says that there is a store, durably, unless it exists.
func mark(path string) error {
	file, err := os.OpenFile(path+markerSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, markerText, filepath.Base(path))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}
