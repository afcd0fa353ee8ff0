package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is a file of an archive or package.
type file struct {
	name string // with slashes; that of a folder ends in one
	data []byte
	mode fs.FileMode
}

func (f file) isFolder() bool { return strings.HasSuffix(f.name, "/") }

// below returns the files with a folder before their names.
func below(folder string, files []file) []file {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].name = folder + "/" + moved[i].name
	}
	return moved
}

// withFolders returns the files in the order of their names, and before each the folders it is in
// that are not files themselves.
func withFolders(files []file) []file {
	all, known := slices.Clone(files), map[string]bool{}
	for _, f := range files {
		known[f.name] = true
	}
	for _, f := range files {
		for folder := path.Dir(strings.TrimSuffix(f.name, "/")); folder != "."; folder = path.Dir(folder) {
			if name := folder + "/"; !known[name] {
				known[name] = true
				all = append(all, file{name, nil, 0o755})
			}
		}
	}
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return all
}

// An owner owns the files of an archive.
type owner struct {
	id   int
	name string
}

// writeTar writes files and their folders to w, of one date. of returns the owner of a file.
func writeTar(w io.Writer, files []file, date time.Time, of func(name string) owner) error {
	t := tar.NewWriter(w)
	for _, f := range withFolders(files) {
		who := of(f.name)
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: int64(tarMode(f.mode)), ModTime: date,
			Uid: who.id, Gid: who.id, Uname: who.name, Gname: who.name, Format: tar.FormatUSTAR,
		}
		if f.isFolder() {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// tarMode writes a mode as an archive does.
func tarMode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return bits
}

// compressed returns data in the form of gzip, without a name and a date.
func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// lay writes files and their folders below a folder of the disk, of one date.
func lay(folder string, files []file, date time.Time) error {
	all := withFolders(files)
	for _, f := range all {
		where := filepath.Join(folder, filepath.FromSlash(f.name))
		var err error
		if f.isFolder() {
			err = os.MkdirAll(where, 0o755)
		} else {
			err = os.WriteFile(where, f.data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	all = append([]file{{"./", nil, 0o755}}, all...) // the folder itself, which packages contain
	for _, f := range slices.Backward(all) {         // folders after what is in them
		where := filepath.Join(folder, filepath.FromSlash(f.name))
		if err := os.Chmod(where, f.mode); err != nil { // whatever the umask is
			return err
		}
		if err := os.Chtimes(where, date, date); err != nil {
			return err
		}
	}
	return nil
}
