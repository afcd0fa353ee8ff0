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
	maxStored    = 48 // catalogues in a store
)

// A Store stores catalogues in a folder on disk: a file for each server, exact version and source.
// Files are replaced atomically, and only their user may access them. A damaged file is ignored.
// The oldest files are removed when there are too many. Goroutines and processes may share a store.
type Store struct {
	// Folder is created when the first catalogue is stored. If it is empty, nothing is stored.
	Folder string
}

// Get returns the catalogue of a server's exact version, or nil.
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

// Latest returns the newest catalogue for a server and a version of the client, such as "v42", or "" for
// any version. It returns nil if there is none. Use it if the exact version is unknown.
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

// Put stores a catalogue for a server.
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

// prune deletes the oldest files if there are too many. It ignores errors.
func (s Store) prune() {
	files := oldestFirst(filepath.Join(s.Folder, "*", "*"))
	for _, path := range files[:max(0, len(files)-maxStored)] {
		_ = os.Remove(path)
		_ = os.Remove(filepath.Dir(path)) // succeeds if the folder is empty
	}
}

// oldestFirst returns the files that match a pattern, oldest first.
func oldestFirst(pattern string) []string {
	paths, _ := filepath.Glob(pattern) // the pattern is valid
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

// path returns the file of a catalogue, or "" if the version is unknown.
func (s Store) path(baseURL, rawVersion string, source Source) string {
	if s.Folder == "" || rawVersion == "" {
		return ""
	}
	return filepath.Join(s.Folder, digest(baseURL), digest(rawVersion)+"-"+string(source)+packedEnding)
}

// digest returns the checksum of a text, as a name for a file or folder.
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
