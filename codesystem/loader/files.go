package loader

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// A File is a regular file of a source: alone, in a folder, or in a zip archive.
type File struct {
	// Name is the path below the folder or in the archive, with slashes. For a file that was named
	// itself it is the base name.
	Name string
	// Origin is the place for messages.
	Origin Origin
	// Size is how many bytes a reader reads: the stored size, or the unpacked size of a member of
	// an archive.
	Size int64

	packed int64 // compressed size of a member of an archive, else 0
	open   func() (io.ReadCloser, error)
}

// Base returns the last part of the name.
func (f *File) Base() string { return path.Base(f.Name) }

// Files lists the files at a path in the order of their names: those of a folder and all folders
// below it, those of a zip archive, or the file itself. It skips names that begin with a dot and the
// folders that some archivers add (__MACOSX). It warns of what it skips because it is no regular
// file in the folder; see Folder. A name in an archive that points outside of it is an error,
// ErrUnsafeName, and so is a pipe or device that is named itself, ErrNotRegular.
func (r *Reading) Files(name string) ([]File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return r.folder(name)
	case IsZip(name):
		return r.zip(name, info)
	}
	if _, err := Regular(name); err != nil {
		return nil, err
	}
	return []File{onDisk(name, filepath.Base(name), info)}, nil
}

func onDisk(name, below string, info fs.FileInfo) File {
	return File{
		Name: below, Size: info.Size(),
		Origin: Origin{Path: name, Size: info.Size(), ModTime: info.ModTime()},
		open:   func() (io.ReadCloser, error) { return OpenFile(name) },
	}
}

// InMemory returns a file with these bytes, which must not be modified while it is in use.
func InMemory(name string, data []byte) File {
	return File{
		Name: name, Size: int64(len(data)), Origin: Origin{Path: name, Size: int64(len(data))},
		open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
}

// IsZip reports whether a file begins as a zip archive does.
func IsZip(name string) bool {
	return bytes.HasPrefix(Head(name, 4), []byte("PK\x03\x04"))
}

// Head returns the first bytes of a file as stored: fewer when it is shorter, none when it cannot
// be read or is no regular file.
func Head(name string, size int) []byte {
	f, err := OpenFile(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, size)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// Peek returns the first bytes of a file, decompressed when it is gzip and without a byte order
// mark: fewer when it is shorter, none when it cannot be read.
func Peek(name string, size int) []byte {
	f, err := OpenFile(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var magic [2]byte
	_, _ = io.ReadFull(f, magic[:])
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	in := io.Reader(f)
	if magic == [2]byte{0x1f, 0x8b} {
		if in, err = gzip.NewReader(f); err != nil {
			return nil
		}
	}
	head := make([]byte, size)
	n, _ := io.ReadFull(in, head)
	return bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
}

func (r *Reading) folder(root string) ([]File, error) {
	var list []File
	folder, err := OpenFolder(root)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if name != "." && passedOver(d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, reason, err := folder.File(name, d)
		if err != nil {
			return err
		}
		if reason != "" {
			r.skip(reason)
			return nil
		}
		if len(list) >= r.limits.MaxEntries {
			return fmt.Errorf("%w: more than %d files in %s", ErrTooLarge, r.limits.MaxEntries, root)
		}
		list = append(list, onDisk(filepath.Join(root, filepath.FromSlash(name)), name, info))
		return nil
	})
	return list, err
}

// passedOver reports whether nothing of use has this name.
func passedOver(name string) bool { return strings.HasPrefix(name, ".") || name == "__MACOSX" }

func (r *Reading) zip(name string, info fs.FileInfo) ([]File, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%s: the zip archive is damaged: %w", name, err)
	}
	r.keep(z)
	if len(z.File) > r.limits.MaxEntries {
		return nil, fmt.Errorf("%s: %w: %d files in the archive", name, ErrTooLarge, len(z.File))
	}
	var list []File
	for _, f := range z.File {
		if !LocalName(f.Name) {
			return nil, fmt.Errorf("%s: %w: %.100q", name, ErrUnsafeName, f.Name)
		}
		if f.Mode().IsDir() || !f.Mode().IsRegular() || slices.ContainsFunc(strings.Split(f.Name, "/"), passedOver) {
			continue
		}
		list = append(list, File{
			Name: path.Clean(f.Name), Size: int64(min(f.UncompressedSize64, math.MaxInt64)), packed: int64(max(f.CompressedSize64, 1)),
			Origin: Origin{Path: name, Entry: f.Name, Size: info.Size(), ModTime: modTime(f.Modified, info.ModTime())},
			open:   f.Open,
		})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return strings.Compare(a.Name, b.Name) < 0
	})
	return list, nil
}

// modTime returns t, or the time of the archive when a member of it has no time.
func modTime(t, archive time.Time) time.Time {
	if t.IsZero() || t.Year() < 1980 {
		return archive
	}
	return t
}

// LocalName reports whether a name in an archive stays inside of it on every system.
func LocalName(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsAny(name, "\\\x00:") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// Open opens a file as a bounded stream. Its Size must have been passed to Expect, for the
// progress.
func (r *Reading) Open(f *File) (*Stream, error) {
	if f.Size > r.limits.MaxBytes || f.packed > 0 && f.Size > ratioFrom && f.Size/f.packed > r.limits.MaxRatio {
		return nil, fmt.Errorf("%s: %w: %d bytes", f.Origin, ErrTooLarge, f.Size)
	}
	in, err := f.open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Origin, err)
	}
	s, err := r.Stream(in, f.Origin)
	if err != nil {
		_ = in.Close()
		return nil, fmt.Errorf("%s: %w", f.Origin, err)
	}
	s.size = f.Size
	s.close = append(s.close, func() { _ = in.Close() })
	return s, nil
}

// Open opens the file at a path as a bounded stream and expects its size. The file may be
// compressed with gzip. A folder or archive is an error.
func Open(r *Reading, name string) (*Stream, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: %w: it is a folder", name, ErrFormat)
	}
	info, err := Regular(name)
	if err != nil {
		return nil, err
	}
	r.Expect(info.Size())
	f := onDisk(name, filepath.Base(name), info)
	return r.Open(&f)
}
