package fhir

import (
	"archive/tar"
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// archive reads a tar archive. A FHIR package is an archive whose first file lies in package/; its
// resources are the files directly in that folder. In any other archive, they are all files with a
// readable name.
func (l *reader) archive(src *source, origin Origin) {
	t := tar.NewReader(src.in)
	isPackage := false
	first := true
	for n := 0; !l.stopped; n++ {
		header, err := t.Next()
		if err == io.EOF {
			// The rest of the stream is read to detect corruption at its end.
			if _, err := io.Copy(io.Discard, src.in); err != nil {
				l.fail(origin, err)
			}
			return
		}
		if err != nil {
			l.fail(origin, fmt.Errorf("archive: %w", err))
			return
		}
		at := origin
		at.Entry = header.Name
		if err := l.checkEntry(header, n); err != nil {
			l.fail(at, err)
			return
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		name := path.Clean(header.Name)
		if first {
			first, isPackage = false, path.Dir(name) == "package" || strings.HasPrefix(name, "package/")
		}
		if !Readable(path.Base(name)) || isPacked(name) || isPackage && path.Dir(name) != "package" {
			continue
		}
		l.member(t, at)
	}
}

// checkEntry refuses entries that do not occur in normal archives.
func (l *reader) checkEntry(h *tar.Header, n int) error {
	if n >= l.limits.MaxEntries {
		return fmt.Errorf("%w: more than %d files in the archive", ErrTooLarge, l.limits.MaxEntries)
	}
	if !loader.LocalName(h.Name) {
		return fmt.Errorf("%w: %.100q", ErrUnsafeName, h.Name)
	}
	if h.Typeflag == tar.TypeGNUSparse || h.PAXRecords["GNU.sparse.major"] != "" || h.PAXRecords["GNU.sparse.map"] != "" {
		return fmt.Errorf("%w: the archive has a sparse file", ErrFormat)
	}
	if h.Size > l.limits.MaxBytes {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, l.limits.MaxBytes)
	}
	return nil
}

// member reads one file of an archive.
func (l *reader) member(r io.Reader, origin Origin) {
	in := bufio.NewReaderSize(r, sniffed)
	kind, err := sniff(in)
	switch {
	case err != nil:
		l.fail(origin, err)
	case kind == formatXML:
		l.xml(in, origin)
	case kind != formatJSON:
		l.fail(origin, fmt.Errorf("%w: the archive contains another archive", ErrFormat))
	default:
		l.values(in, origin, true)
	}
}
