package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
)

// A manifest lists the files of a backup. It is written last.
type manifest struct {
	Format  int            `json:"format"`
	Created time.Time      `json:"created"`
	Program string         `json:"program"` // version of roget
	Files   []manifestFile `json:"files"`
}

type manifestFile struct {
	Name   string `json:"name"` // with slashes, relative to the folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const (
	manifestName   = "manifest.json"
	manifestFormat = 1
	maxManifest    = 64 << 20
)

// isBackupName reports whether a manifest may contain a name.
func isBackupName(name string) bool {
	pack, inPacks := strings.CutPrefix(name, packFolder+"/")
	return name == storeFile || inPacks && isPackFile(pack)
}

// isPackFile reports whether a file of the folder of packs belongs in a backup: packs, and what
// they were compiled from. Seals hold for one file on one disk only.
func isPackFile(name string) bool {
	ext := path.Ext(name)
	return !strings.ContainsAny(name, "/\\:\x00") && !strings.HasPrefix(name, ".") && (ext == ".pack" || ext == ".json")
}

// readManifest reads the manifest of a backup.
func readManifest(folder string) (m manifest, err error) {
	name := filepath.Join(folder, manifestName)
	file, err := loader.OpenFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return m, absentf("%s is not a complete backup: it has no %s", folder, manifestName)
	}
	if err != nil {
		return m, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxManifest))
	if err != nil {
		return m, err
	}
	return parseManifest(name, data, func(f manifestFile) bool { return isBackupName(f.Name) })
}

// parseManifest returns the manifest in a file, whose name is for errors, if belongs is true for all of its
// files.
func parseManifest(name string, data []byte, belongs func(manifestFile) bool) (m manifest, err error) {
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("%s: it has format %d, this program reads %d; use a newer version of roget", name, m.Format, manifestFormat)
	}
	seen := make(map[string]bool)
	left := int64(math.MaxInt64)
	for _, f := range m.Files {
		if f.Size < 0 || f.Size > left {
			return m, fmt.Errorf("%s: no file has the size of %q, %d bytes", name, f.Name, f.Size)
		}
		left -= f.Size
		if !belongs(f) || seen[f.Name] {
			return m, fmt.Errorf("%s: the file name %q does not belong there", name, f.Name)
		}
		seen[f.Name] = true
	}
	return m, nil
}

// write writes the manifest durably.
func (m *manifest) write(folder string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(folder, manifestName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}

// size returns the number of bytes in the files.
func (m *manifest) size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

// copyFile copies a file durably to a new one, and returns its size and SHA-256.
func copyFile(ctx context.Context, from, to string) (size int64, digest string, err error) {
	in, err := loader.OpenFile(from)
	if err != nil {
		return 0, "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, "", err
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(out, hash), contextReader{ctx, in})
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), nil
}

// digestFile returns the size and SHA-256 of a file, and makes its content durable.
func digestFile(ctx context.Context, path string) (size int64, digest string, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, "", err
	}
	defer file.Close()
	hash := sha256.New()
	if size, err = io.Copy(hash, contextReader{ctx, file}); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(hash.Sum(nil)), file.Sync()
}

// A contextReader stops when its context ends.
type contextReader struct {
	ctx context.Context //nolint:containedctx // lives as long as one copy
	in  io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
