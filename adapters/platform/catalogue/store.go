package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	packedEnding = ".json.gz"
	maxKept      = 48 // catalogues of a store
)

// A Store keeps catalogues on disk, below a folder that is its own: a file for each server,
// exact version and source. Files are written at once, for their user alone; one that is
// damaged counts as absent, and the next one takes its place. Of many the oldest go. Safe
// for concurrent use, also by several processes.
type Store struct {
	// Folder is made when the first catalogue is kept. Empty keeps nothing.
	Folder string
}

// Get returns the catalogue of a server's exact version; nil when it is not kept.
func (s Store) Get(baseURL, rawVersion string, source Source) *Catalogue {
	path := s.path(baseURL, rawVersion, source)
	if path == "" {
		return nil
	}
	c := open(path)
	if c == nil || c.RawVersion != rawVersion || c.Source != source {
		return nil
	}
	return c
}

// Latest returns the catalogue that was kept last for a server and a version of the client,
// "v42" or "" for any: for when the exact version is not known; nil when there is none.
func (s Store) Latest(baseURL, version string, source Source) *Catalogue {
	if s.Folder == "" {
		return nil
	}
	files := oldestFirst(filepath.Join(s.Folder, digest(baseURL), "*"+packedEnding))
	for _, path := range slices.Backward(files) {
		if !strings.HasSuffix(path, "-"+string(source)+packedEnding) {
			continue
		}
		if c := open(path); c != nil && (version == "" || c.Version == version) && c.Source == source {
			return c
		}
	}
	return nil
}

// Put keeps a catalogue for a server.
func (s Store) Put(baseURL string, c *Catalogue) error {
	path := s.path(baseURL, c.RawVersion, c.Source)
	if path == "" {
		return nil
	}
	packed, err := c.Encode()
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "new-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(packed)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	s.prune()
	return nil
}

// prune deletes the oldest files when there are too many. One that cannot be deleted stays.
func (s Store) prune() {
	files := oldestFirst(filepath.Join(s.Folder, "*", "*"))
	for _, path := range files[:max(0, len(files)-maxKept)] {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // where it was the last
	}
}

// oldestFirst lists the files of a pattern, the one written last at the end.
func oldestFirst(pattern string) []string {
	paths, _ := filepath.Glob(pattern) // the pattern is ours
	type dated struct {
		path string
		info fs.FileInfo
	}
	var files []dated
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, dated{path, info})
		}
	}
	slices.SortStableFunc(files, func(a, b dated) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	sorted := make([]string, len(files))
	for i, f := range files {
		sorted[i] = f.path
	}
	return sorted
}

// path returns the file of a catalogue; none for a version that is not known.
func (s Store) path(baseURL, rawVersion string, source Source) string {
	if s.Folder == "" || rawVersion == "" {
		return ""
	}
	return filepath.Join(s.Folder, digest(baseURL), digest(rawVersion)+"-"+string(source)+packedEnding)
}

// digest names a file or folder after what must not be in its name.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:10])
}

func open(path string) *Catalogue {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	packed, err := io.ReadAll(io.LimitReader(file, maxPacked+1))
	if err != nil || len(packed) > maxPacked {
		return nil
	}
	c, err := Decode(packed)
	if err != nil {
		return nil
	}
	return c
}
