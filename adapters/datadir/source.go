package datadir

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/roget-health/roget/adapters/internal/explain"
	"github.com/roget-health/roget/codesystem/loader"
)

// Source is a file or folder that a pack was compiled from, with attributes that show whether it
// has changed since.
type Source struct {
	Path string `json:"path"` // absolute
	// Beside are the absolute paths of further files that are read with it.
	Beside  []string  `json:"beside,omitempty"`
	Files   int       `json:"files"`   // number of files: 1 for a file
	Size    int64     `json:"size"`    // total bytes
	ModTime time.Time `json:"modTime"` // of the newest file
	// Settings are further settings for reading it, as JSON, or nil.
	Settings json.RawMessage `json:"settings,omitempty"`
}

// SourceOf returns the Source for a file or folder and the files that are read with it.
func SourceOf(path string, beside ...string) (Source, error) {
	var s Source
	for i, name := range append([]string{path}, beside...) {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return Source{}, err
		}
		if i == 0 {
			s.Path = absolute
		} else {
			s.Beside = append(s.Beside, absolute)
		}
		if err := s.count(absolute); err != nil {
			return Source{}, fmt.Errorf("source %s: %w", absolute, explain.File(err))
		}
	}
	return s, nil
}

// count adds the files at a path that a reader of it reads; see loader.Folder.
func (s *Source) count(path string) error {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	folder, err := loader.OpenFolder(root)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		info, reason, err := folder.File(name, entry)
		if err != nil || reason != "" {
			return err
		}
		s.Files++
		s.Size += info.Size()
		if t := info.ModTime().UTC(); t.After(s.ModTime) {
			s.ModTime = t
		}
		return nil
	})
}

// unchanged returns an error if the source differs from its record.
func (s Source) unchanged() error {
	now, err := SourceOf(s.Path, s.Beside...)
	if err != nil {
		return err
	}
	if now.Files != s.Files || now.Size != s.Size || !now.ModTime.Equal(s.ModTime) {
		return fmt.Errorf("source %s has changed since it was loaded", s.Path)
	}
	return nil
}

// sidecar is the JSON file beside a pack. It is readable even if the pack is not.
type sidecar struct {
	Sources []Source `json:"sources"`
}

func sidecarPath(packPath string) string {
	return strings.TrimSuffix(packPath, packSuffix) + sidecarSuffix
}

func readSidecar(packPath string) (sidecar, error) {
	var s sidecar
	data, err := os.ReadFile(sidecarPath(packPath))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s: invalid JSON: %w", sidecarPath(packPath), err)
	}
	return s, nil
}

func writeSidecar(packPath string, s sidecar) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := sidecarPath(packPath)
	file, err := createTemporary(path)
	if err != nil {
		return err
	}
	if _, err = file.Write(append(data, '\n')); err == nil {
		err = publishFile(file, path)
	}
	if err != nil {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	return err
}
