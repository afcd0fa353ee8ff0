package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular is returned for a source that is neither a regular file nor a folder: a pipe, a
// socket or a device. They are not opened, because opening a pipe waits for a writer, and a device
// may have no end.
var ErrNotRegular = errors.New("not a regular file")

// OpenFile opens a regular file, or a link to one. Anything else is ErrNotRegular.
func OpenFile(name string) (*os.File, error) {
	if _, err := Regular(name); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// Regular describes a regular file, or the one that a link leads to. Anything else is
// ErrNotRegular.
func Regular(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, fmt.Errorf("%s: %w but %s; write its content to a file, and name that file", name, ErrNotRegular, kind)
	}
	return info, nil
}

// kindOf returns what a file is that is not regular, or "".
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "of another kind"
}

// A Folder decides which of the names in a folder, and below it, are files to read: regular files,
// and links to regular files in the same folder or below it.
type Folder struct {
	root string // as named by the caller
	real string // absolute, without links
}

// OpenFolder returns the folder at a path, which may be a link.
func OpenFolder(root string) (*Folder, error) {
	path, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	return &Folder{root, path}, nil
}

// File describes the file of an entry, whose name is relative to the folder. If the file is not to
// be read, File returns the reason in words, beginning with the path.
func (f *Folder) File(name string, d fs.DirEntry) (info fs.FileInfo, reason string, err error) {
	shown := filepath.Join(f.root, filepath.FromSlash(name))
	switch {
	case d.Type().IsRegular():
		info, err = d.Info()
		return info, "", err
	case d.Type()&fs.ModeSymlink == 0:
		return nil, fmt.Sprintf("%s is %s", shown, kindOf(d.Type())), nil
	}
	target, err := filepath.EvalSymlinks(filepath.Join(f.real, filepath.FromSlash(name)))
	if err != nil {
		return nil, shown + " is a link that leads nowhere", nil //nolint:nilerr // it is passed over
	}
	if below, err := filepath.Rel(f.real, target); err != nil || !filepath.IsLocal(below) {
		return nil, fmt.Sprintf("%s is a link out of the folder %s; name its target to read that too", shown, f.root), nil //nolint:nilerr // it is passed over
	}
	if info, err = os.Stat(target); err != nil {
		return nil, "", err
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return nil, fmt.Sprintf("%s is a link to %s", shown, kind), nil
	}
	return info, "", nil
}
