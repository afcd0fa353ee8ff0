package fhir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/fhirxml"
)

// Readable reports whether a file in a folder or archive has a name that Load reads: *.json,
// *.ndjson, both also with .gz, *.tgz and *.tar.gz. Names starting with a dot are not read.
func Readable(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	name = strings.ToLower(name)
	plain := strings.TrimSuffix(name, ".gz")
	return strings.HasSuffix(plain, ".json") || strings.HasSuffix(plain, ".ndjson") ||
		strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// IsXML reports whether a file is one with a resource in XML, by its name (*.xml, *.xml.gz) and its
// beginning. Load reads such files in folders, but not in archives.
func IsXML(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return !strings.HasPrefix(name, ".") && strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".xml") &&
		fhirxml.IsResource(loader.Peek(path, sniffed))
}

// isPacked reports whether a readable file must be decompressed.
func isPacked(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".gz") || strings.HasSuffix(name, ".tgz")
}

// path reads a file or folder.
func (l *reader) path(name string) {
	info, err := os.Stat(name)
	if err != nil {
		l.failed(err)
		return
	}
	if !info.IsDir() {
		if _, err := loader.Regular(name); err != nil {
			l.failed(err)
			return
		}
		l.reading.Expect(info.Size())
		l.file(name, info, false)
		return
	}
	files, err := l.files(name)
	if err != nil {
		l.failed(err)
		return
	}
	for _, f := range files {
		l.reading.Expect(f.info.Size())
	}
	for _, f := range files {
		if l.stopped {
			return
		}
		l.file(f.path, f.info, true)
	}
}

type file struct {
	path string
	info fs.FileInfo
}

// files lists the files to read in a folder, in the order of their names; see loader.Folder.
func (l *reader) files(root string) ([]file, error) {
	folder, err := loader.OpenFolder(root)
	if err != nil {
		return nil, err
	}
	isPackage, prefix := false, ""
	if regular(filepath.Join(root, "package", "package.json")) {
		root, isPackage, prefix = filepath.Join(root, "package"), true, "package/"
	} else if filepath.Base(root) == "package" && regular(filepath.Join(root, "package.json")) {
		isPackage = true
	}
	var list []file
	err = fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (isPackage || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		info, reason, err := folder.File(prefix+name, d)
		if err != nil || reason != "" {
			return err
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		if Readable(d.Name()) || IsXML(path) {
			list = append(list, file{path, info})
		}
		return nil
	})
	return list, err
}

func regular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// file reads one file.
func (l *reader) file(name string, info fs.FileInfo, lenient bool) {
	origin := Origin{Path: name, Size: info.Size(), ModTime: info.ModTime()}
	f, err := loader.OpenFile(name)
	if err != nil {
		l.failed(err)
		return
	}
	defer f.Close()
	l.stream(f, origin, lenient)
}
