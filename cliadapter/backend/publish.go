package backend

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/internal/durable"
)

// publishedName returns the name of a published pack. It changes with the content, so that whoever reads
// the manifest finds the files that it lists until the manifest after the next one is there.
func publishedName(number uint64, sha256 string) string {
	return fmt.Sprintf("%s/%010d-%s.pack", packFolder, number, sha256[:min(16, len(sha256))])
}

// publishedNumber returns the number in the name of a published pack, 0 if it is not such a name.
func publishedNumber(f manifestFile) uint64 {
	name := strings.TrimPrefix(f.Name, packFolder+"/")
	text, _, _ := strings.Cut(name, "-")
	number, err := strconv.ParseUint(text, 10, 40)
	if sum, bad := hex.DecodeString(f.SHA256); err != nil || bad != nil || len(sum) != 32 || strings.ToLower(f.SHA256) != f.SHA256 || f.Name != publishedName(number, f.SHA256) {
		return 0
	}
	return number
}

func isPublished(f manifestFile) bool { return publishedNumber(f) > 0 }

// Publish copies the packs of a data folder into the folder req.Target for servers with --packs, and then
// writes a manifest of them. Packs that were there before keep their names, the others get higher numbers.
func (Backend) Publish(ctx context.Context, req cliadapter.BackupRequest) (done cliadapter.BackedUp, err error) {
	if err := checkRestored(req.Data); err != nil {
		return done, err
	}
	release, err := datadir.Use(req.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return done, absentf("the data folder %s does not exist", req.Data)
	}
	if err != nil {
		return done, err
	}
	defer release()
	target := filepath.Join(req.Target, packFolder)
	if err := os.MkdirAll(target, 0o755); err != nil { //nolint:gosec // for a web server
		return done, err
	}
	unlock, err := durable.TryLock(filepath.Join(req.Target, ".lock"))
	if unlock == nil {
		return done, errors.Join(err, fmt.Errorf("another roget publish writes to %s", req.Target))
	}
	defer unlock()
	var former manifest
	data, err := os.ReadFile(filepath.Join(req.Target, manifestName))
	if err == nil {
		former, err = parseManifest(filepath.Join(req.Target, manifestName), data, isPublished)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	removePartial(req.Target)
	partial, err := os.MkdirTemp(req.Target, partialPrefix)
	if err != nil {
		return done, err
	}
	defer func() { _ = os.RemoveAll(partial) }()
	m := manifest{Format: manifestFormat, Created: time.Now().UTC().Truncate(time.Millisecond), Program: req.Program}
	if err := copyPacks(ctx, req.Data, partial, &m); err != nil {
		return done, fmt.Errorf("publish the packs: %w", err)
	}
	if err := checkPacks(ctx, partial); err != nil {
		return done, fmt.Errorf("nothing was published: %w", err)
	}
	m.Files = slices.DeleteFunc(m.Files, func(f manifestFile) bool { return !strings.HasSuffix(f.Name, ".pack") })
	last, listed := uint64(0), map[string]bool{}
	for _, f := range former.Files {
		last, listed[f.Name] = max(last, publishedNumber(f)), true
	}
	for i := range m.Files {
		f := &m.Files[i]
		if at := slices.IndexFunc(former.Files, func(was manifestFile) bool { return was.SHA256 == f.SHA256 }); at >= 0 {
			*f = former.Files[at]
			continue
		}
		last++
		copied := filepath.Join(partial, f.Name)
		f.Name = publishedName(last, f.SHA256)
		if err := expose(copied, filepath.Join(req.Target, f.Name)); err != nil {
			return done, err
		}
	}
	done.Folder, done.Files, done.Bytes = req.Target, len(m.Files), m.size()
	if done.Files == 0 {
		return done, absentf("the data folder %s has no packs", req.Data)
	}
	if slices.Equal(m.Files, former.Files) {
		return done, nil
	}
	for _, step := range []func() error{
		func() error { return durable.SyncFolder(target) },
		func() error { return m.write(partial) },
		func() error {
			return expose(filepath.Join(partial, manifestName), filepath.Join(req.Target, manifestName))
		},
		func() error { return durable.SyncFolder(req.Target) },
	} {
		if err := step(); err != nil {
			return done, err
		}
	}
	for _, f := range m.Files {
		listed[f.Name] = true
	}
	there, err := filepath.Glob(filepath.Join(target, "*.pack"))
	for _, path := range there {
		if name := packFolder + "/" + filepath.Base(path); !listed[name] && os.Remove(path) == nil {
			done.Removed = append(done.Removed, name)
		}
	}
	return done, err
}

// expose moves a file to where a web server reads it.
func expose(from, to string) error {
	if err := os.Chmod(from, 0o644); err != nil { //nolint:gosec // for a web server
		return err
	}
	return os.Rename(from, to)
}
