package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A linked is a module of which packages are linked into the program.
type linked struct {
	path, version string
	uses          []string // paths of the modules that its linked packages import
	licences      []licence
}

// A listedPackage is what the Go tool says of a package.
type listedPackage struct {
	ImportPath, Dir string
	Standard        bool
	Imports         []string
	Module          *struct{ Path, Version, Dir string }
}

// stdlib is the path that stands for Go's own library.
const stdlib = "std"

// linkedModules returns the modules that are linked into the program for a platform, Go's library
// among them, with the licences of the packages that are linked.
func (r *release) linkedModules(ctx context.Context, p platform) ([]linked, error) {
	out, err := r.goTool(ctx, p, "list", "-deps", "-json=ImportPath,Dir,Standard,Imports,Module", ".")
	if err != nil {
		return nil, err
	}
	packages := map[string]listedPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg listedPackage
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if pkg.Standard {
			pkg.Module = &struct{ Path, Version, Dir string }{stdlib, r.known.goVersion, r.known.goRoot}
		}
		packages[pkg.ImportPath] = pkg
	}
	modules, folders, rootOf := map[string]*linked{}, map[string]map[string]bool{}, map[string]string{}
	for _, pkg := range packages {
		m := modules[pkg.Module.Path]
		if m == nil {
			m = &linked{path: pkg.Module.Path, version: pkg.Module.Version}
			modules[m.path], folders[m.path], rootOf[m.path] = m, map[string]bool{}, pkg.Module.Dir
		}
		for _, name := range pkg.Imports {
			if used := packages[name].Module; used != nil && used.Path != m.path && !slices.Contains(m.uses, used.Path) {
				m.uses = append(m.uses, used.Path)
			}
		}
		for folder := pkg.Dir; !pkg.Standard && len(folder) > len(pkg.Module.Dir); folder = filepath.Dir(folder) {
			folders[m.path][folder] = true
		}
		folders[m.path][pkg.Module.Dir] = true
	}
	var all []linked
	for _, path := range slices.Sorted(maps.Keys(modules)) {
		m := modules[path]
		slices.Sort(m.uses)
		for _, folder := range slices.Sorted(maps.Keys(folders[path])) {
			found, err := r.known.licences(folder)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			part, err := filepath.Rel(rootOf[path], folder)
			if err != nil {
				return nil, err
			}
			for _, l := range found {
				l.part = filepath.ToSlash(part)
				m.licences = append(m.licences, l)
			}
		}
		if len(m.licences) == 0 {
			return nil, fmt.Errorf("module %s has no licence", path)
		}
		all = append(all, *m)
	}
	return all, nil
}

// moduleFiles reads the licences of modules.
type moduleFiles struct {
	goVersion, goRoot string
	read              map[string][]licence // by folder
}

func (r *release) listModules(ctx context.Context) (*moduleFiles, error) {
	out, err := r.goTool(ctx, r.platforms[0], "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	goVersion, goRoot, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return &moduleFiles{goVersion: goVersion, goRoot: goRoot, read: map[string][]licence{}}, nil
}

var (
	licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|copyright|notice)([-_.].*)?$`)
	notLinked   = regexp.MustCompile(`(?i)\.(go|s|c|h|html|sh|py)$|-logo$`) // sources, and licences of pictures
)

// licences returns the files of a folder that state a licence.
func (m *moduleFiles) licences(folder string) ([]licence, error) {
	if found, ok := m.read[folder]; ok {
		return found, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []licence
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) || notLinked.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		l, err := readLicence(entry.Name(), string(text))
		if err != nil {
			return nil, err
		}
		found = append(found, l)
	}
	m.read[folder] = found
	return found, nil
}
