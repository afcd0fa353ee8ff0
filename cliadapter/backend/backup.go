package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/adapters/sqlite"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/internal/durable"
)

// Names of backups: complete ones, and those that are being written or removed.
const (
	backupPrefix  = "roget-"
	backupTime    = "20060102T150405Z"
	partialPrefix = ".roget-"
)

// errPostgresBackup is the error of a backup of a PostgreSQL store. PostgreSQL's own programs copy
// a database faster, also to a point in time, and while several servers write it.
var errPostgresBackup = &cliadapter.UsageError{Err: errors.New("roget backup copies data folders with SQLite; back up a store in PostgreSQL " +
	"with pg_dump --format=custom (restored by pg_restore) or with pg_basebackup and WAL archiving, and the packs of the data folder with roget backup --data DIR")}

// Backup copies a data folder into a new folder below req.Target. A server may use it meanwhile.
func (Backend) Backup(ctx context.Context, req cliadapter.BackupRequest) (done cliadapter.BackedUp, err error) {
	if strings.HasPrefix(req.Store, "postgres") {
		return done, errPostgresBackup
	}
	if err := checkRestored(req.Data); err != nil {
		return done, err
	}
	store := filepath.Join(req.Data, storeFile)
	switch scheme, path, _ := strings.Cut(req.Store, ":"); {
	case scheme == "sqlite":
		store = path
		if exists, err := sqlite.Exists(store); err == nil && !exists {
			return done, absentf("--store: there is no store in %s", store)
		}
	case req.Store != "":
		return done, &cliadapter.UsageError{Err: errors.New("--store: roget backup copies sqlite:PATH")}
	}
	if _, err := os.Stat(req.Data); errors.Is(err, fs.ErrNotExist) {
		return done, absentf("the data folder %s does not exist", req.Data)
	}
	release, err := datadir.Use(req.Data)
	if err != nil {
		return done, err
	}
	defer release()
	if err := os.MkdirAll(req.Target, 0o700); err != nil {
		return done, err
	}
	removePartial(req.Target)
	partial, err := os.MkdirTemp(req.Target, partialPrefix)
	if err != nil {
		return done, err
	}
	defer func() { _ = os.RemoveAll(partial) }() // gone when the backup is complete
	m := manifest{Format: manifestFormat, Created: time.Now().UTC().Truncate(time.Millisecond), Program: req.Program}
	if err := copyAll(ctx, req.Data, store, partial, &m); err != nil {
		return done, fmt.Errorf("no backup was made, older ones are kept: %w", err)
	}
	if len(m.Files) == 0 {
		return done, absentf("the data folder %s is empty", req.Data)
	}
	if err := m.write(partial); err != nil {
		return done, err
	}
	if req.Verify {
		if err := tryRestore(ctx, partial, req.Target); err != nil {
			return done, fmt.Errorf("no backup was made, older ones are kept: the copy does not pass its trial: %w", err)
		}
	}
	if done.Folder, err = publishBackup(partial, req.Target, m.Created); err != nil {
		return done, err
	}
	done.Files, done.Bytes = len(m.Files), m.size()
	if req.Keep > 0 {
		done.Removed, err = removeOld(req.Target, req.Keep)
	}
	return done, err
}

// copyAll copies the packs and the store, and compares the checksums in the copies.
func copyAll(ctx context.Context, data, store, folder string, m *manifest) error {
	if err := copyPacks(ctx, data, folder, m); err != nil {
		return fmt.Errorf("back up the packs: %w", err)
	}
	if err := checkPacks(ctx, folder); err != nil {
		return fmt.Errorf("the packs: %w", err)
	}
	if err := copyStore(ctx, store, folder, m); err != nil {
		return fmt.Errorf("back up the resource store: %w", err)
	}
	return nil
}

// publishBackup renames a complete backup to its final name, durably.
func publishBackup(partial, target string, created time.Time) (folder string, err error) {
	if err := durable.SyncFolder(partial); err != nil {
		return "", err
	}
	for n := range 60 { // another one of the same second may exist
		folder = filepath.Join(target, backupPrefix+created.Add(time.Duration(n)*time.Second).Format(backupTime))
		if _, err := os.Lstat(folder); err == nil {
			continue
		}
		if err := os.Rename(partial, folder); err != nil {
			return "", err
		}
		return folder, durable.SyncFolder(target)
	}
	return "", fmt.Errorf("%s already has backups of this minute", target)
}

// copyStore copies the resource store, if there is one.
func copyStore(ctx context.Context, store, folder string, m *manifest) error {
	if exists, err := sqlite.Exists(store); !exists {
		return err
	}
	target := filepath.Join(folder, storeFile)
	file, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite fills an empty file
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := sqlite.Backup(ctx, store, target); err != nil {
		return err
	}
	size, digest, err := digestFile(ctx, target)
	m.Files = append(m.Files, manifestFile{Name: storeFile, Size: size, SHA256: digest})
	return err
}

// checkPacks compares the checksums of the packs in a folder that nobody else uses. Packs of another
// layout, which a server compiles again, have none that this program knows.
func checkPacks(ctx context.Context, folder string) error {
	dir, err := openData(ctx, folder, dataVerify, nil)
	if err != nil {
		return err
	}
	defer closing(dir)
	damaged := slices.DeleteFunc(dir.Damaged(), func(err error) bool { return errors.Is(err, codesystem.ErrSnapshotVersion) })
	return errors.Join(append(damaged, dir.Scrub(ctx, math.MaxInt64))...)
}

// copyPacks copies the packs. A load may replace some of them meanwhile; then it starts again.
// Packs are copied and not linked, because damage to a disk must not reach both.
func copyPacks(ctx context.Context, data, folder string, m *manifest) error {
	from, to := filepath.Join(data, packFolder), filepath.Join(folder, packFolder)
	for try := 0; ; try++ {
		files, err := copyPackFiles(ctx, from, to)
		if err == nil {
			m.Files = append(m.Files, files...)
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) || try == 9 {
			return err
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
}

func copyPackFiles(ctx context.Context, from, to string) (files []manifestFile, err error) {
	entries, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !isPackFile(e.Name()) {
			continue
		}
		size, digest, err := copyFile(ctx, filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, manifestFile{Name: packFolder + "/" + e.Name(), Size: size, SHA256: digest})
	}
	return files, durable.SyncFolder(to)
}

// tryRestore restores a backup into a temporary folder and verifies the result.
func tryRestore(ctx context.Context, backup, target string) error {
	folder, err := os.MkdirTemp(target, partialPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if _, err := (Backend{}).Restore(ctx, cliadapter.RestoreRequest{Backup: backup, Data: folder}); err != nil {
		return err
	}
	// The store may have the schema of an earlier program, as before an upgrade: then its migration is
	// tried too. The backup keeps the schema.
	if err := migrateStore(ctx, filepath.Join(folder, storeFile)); err != nil {
		return err
	}
	_, err = (Backend{}).Verify(ctx, cliadapter.VerifyRequest{Data: folder})
	return err
}

// migrateStore migrates a store to the schema of this program, if there is one.
func migrateStore(ctx context.Context, path string) error {
	if exists, err := sqlite.Exists(path); !exists {
		return err
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	return store.Close()
}

// removePartial removes what backups that were killed have left. A backup that is running keeps its
// folder, which it changes more often than partialAge.
func removePartial(target string) {
	left, _ := filepath.Glob(filepath.Join(target, partialPrefix+"*"))
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && time.Since(info.ModTime()) > partialAge {
			_ = os.RemoveAll(path)
		}
	}
}

// partialAge is the age of a partial backup that nobody is writing any more.
const partialAge = 24 * time.Hour

// removeOld removes complete backups but for the newest ones, oldest first, and returns their
// names.
func removeOld(target string, keep int) (removed []string, err error) {
	entries, err := os.ReadDir(target)
	if err != nil {
		return nil, err
	}
	var complete []string
	for _, e := range entries {
		stamp, ok := strings.CutPrefix(e.Name(), backupPrefix)
		if _, bad := time.Parse(backupTime, stamp); !ok || bad != nil || !e.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join(target, e.Name(), manifestName)); err == nil {
			complete = append(complete, e.Name())
		}
	}
	slices.Sort(complete)
	for ; len(complete) > keep; complete = complete[1:] {
		// Under another name it is no backup any more, should the removal be interrupted.
		hidden := filepath.Join(target, "."+complete[0])
		if err := os.Rename(filepath.Join(target, complete[0]), hidden); err != nil {
			return removed, err
		}
		if err := os.RemoveAll(hidden); err != nil {
			return removed, err
		}
		removed = append(removed, complete[0])
	}
	return removed, nil
}
