package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/internal/durable"
)

// restoringFolder is the folder in a data folder into which Restore copies a backup. As long as it
// exists, the data folder is not used.
const restoringFolder = ".restoring"

// checkRestored returns an error for a data folder whose restore was interrupted.
func checkRestored(data string) error {
	if _, err := os.Lstat(filepath.Join(data, restoringFolder)); err == nil {
		return fmt.Errorf("the data folder %s is not whole, because roget restore is running or was interrupted; run it again with --replace", data)
	}
	return nil
}

// Restore makes a data folder from a backup. It copies everything and compares the checksums before
// it changes the folder.
func (Backend) Restore(ctx context.Context, req cliadapter.RestoreRequest) (done cliadapter.BackedUp, err error) {
	if err := checkOwner(req.Data); err != nil {
		return done, err
	}
	m, err := readManifest(req.Backup)
	if err != nil {
		return done, err
	}
	_, missing := os.Stat(req.Data)
	if err := os.MkdirAll(req.Data, 0o700); err != nil {
		return done, err
	}
	replacing := false
	defer func() {
		if err != nil && !replacing && errors.Is(missing, fs.ErrNotExist) {
			_ = os.Remove(req.Data) // which is empty
		}
	}()
	release, err := datadir.Claim(req.Data)
	if err != nil {
		return done, err
	}
	defer release()
	present, err := contentOf(req.Data)
	if err != nil {
		return done, err
	}
	if len(present) > 0 && !req.Replace {
		return done, fmt.Errorf("the data folder %s is not empty (%s); stop the server that uses it, and add --replace to move its content aside", req.Data, present[0])
	}
	if used, err := sqlite.Used(filepath.Join(req.Data, storeFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	} else if used {
		return done, fmt.Errorf("a server or another command uses the store in the data folder %s; stop it first", req.Data)
	}
	staging := filepath.Join(req.Data, restoringFolder)
	if err := os.RemoveAll(staging); err != nil {
		return done, err
	}
	defer func() {
		if err != nil && !replacing {
			_ = os.RemoveAll(staging) // the folder is as it was
		}
	}()
	if err := stage(ctx, req.Backup, staging, &m); err != nil {
		return done, err
	}
	replacing = true
	if done.Aside, err = replaceContent(req.Data, staging, present); err != nil {
		return done, fmt.Errorf("%w; run roget restore again with --replace", err)
	}
	done.Folder, done.Files, done.Bytes = req.Data, len(m.Files), m.size()
	return done, nil
}

// contentOf returns the names in a data folder that a restore replaces.
func contentOf(data string) (names []string, err error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == restoringFolder, name == "lock", strings.HasPrefix(name, asidePrefix):
		default:
			names = append(names, name)
		}
	}
	return names, err
}

// stage copies a backup and compares the checksums of the copy.
func stage(ctx context.Context, backup, staging string, m *manifest) error {
	if err := os.MkdirAll(filepath.Join(staging, packFolder), 0o700); err != nil {
		return err
	}
	for _, f := range m.Files {
		size, digest, err := copyFile(ctx, filepath.Join(backup, filepath.FromSlash(f.Name)), filepath.Join(staging, filepath.FromSlash(f.Name)))
		if err != nil {
			return err
		}
		if size != f.Size || digest != f.SHA256 {
			return fmt.Errorf("the backup %s is damaged: %s does not match the checksum in %s; use another backup", backup, f.Name, manifestName)
		}
	}
	return errors.Join(durable.SyncFolder(filepath.Join(staging, packFolder)), durable.SyncFolder(staging))
}

// asidePrefix begins the name of the folder that keeps what a restore replaced.
const asidePrefix = "replaced-"

// replaceContent moves the content of a data folder aside and the restored files to their places,
// the staging folder last. aside is where the former content is, "" if there was none.
func replaceContent(data, staging string, present []string) (aside string, err error) {
	if len(present) > 0 {
		aside = filepath.Join(data, asidePrefix+time.Now().UTC().Format("20060102T150405.000Z"))
		if err := os.Mkdir(aside, 0o700); err != nil {
			return "", err
		}
		for _, name := range present {
			if err := os.Rename(filepath.Join(data, name), filepath.Join(aside, name)); err != nil {
				return aside, err
			}
		}
	}
	for _, name := range []string{packFolder, storeFile} {
		err := os.Rename(filepath.Join(staging, name), filepath.Join(data, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return aside, err
		}
	}
	if err := durable.SyncFolder(data); err != nil {
		return aside, err
	}
	if err := os.Remove(staging); err != nil {
		return aside, err
	}
	return aside, durable.SyncFolder(data)
}
