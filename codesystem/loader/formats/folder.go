package formats

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
)

// A folder holds the sources that search found in a folder.
type folder struct {
	root         string
	files        []found             // in a format that is read from single files and archives
	releases     map[string][]string // top folders of releases, by format
	resources    []string            // files with names that the FHIR reader reads
	unrecognized []string
	refused      []passed
}

// A passed file is one that is not read, with the reason in words.
type passed struct{ path, reason string }

// A found file and its format.
type found struct {
	format Format
	path   string
}

// addFolder adds the groups of a folder. A folder without a source in any other format is left to
// the FHIR reader.
func (g *grouping) addFolder(root string, settings Settings) error {
	formats := table()
	last := len(formats) - 1
	resources := formats[last]
	formats = formats[:last]
	if settings.Format != "" {
		formats = slices.DeleteFunc(formats, func(f Format) bool { return f.Name != settings.Format })
	}
	in, err := search(root, formats)
	if err != nil {
		return err
	}
	first := len(g.groups)
	switch {
	case len(in.files) == 0 && len(in.releases) == 0:
		err = g.addPath(root, settings)
	default:
		g.addFound(in, formats)
		if settings.Format == "" && len(in.resources) > 0 && g.addOnce(resources, root) {
			g.groups[len(g.groups)-1].optional = true
		}
	}
	if settings.Format == "" && first < len(g.groups) {
		g.groups[first].unrecognized = in.unrecognized
	}
	if first < len(g.groups) {
		for _, file := range in.refused {
			g.groups[first].refused = append(g.groups[first].refused, file.reason)
		}
	}
	return err
}

// addFound adds the releases and files of a folder.
func (g *grouping) addFound(in *folder, formats []Format) {
	for _, f := range formats {
		tops := in.releases[f.Name]
		if f.Together && len(tops) > 0 {
			tops = []string{in.root} // the reader finds the packages itself
		}
		for _, top := range tops {
			g.addOnce(f, top)
		}
	}
	for _, file := range in.files {
		g.addOnce(file.format, file.path)
	}
}

// search finds the sources in a folder and all folders below it. Like the readers, it skips names
// that begin with a dot.
func search(root string, formats []Format) (*folder, error) {
	in := &folder{root: root, releases: map[string][]string{}}
	limit := loader.Limits{}.WithDefaults().MaxEntries
	entries := 0
	var others []string
	tree, err := loader.OpenFolder(root)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "__MACOSX"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		if entries++; entries > limit {
			return fmt.Errorf("%w: more than %d files in %s", loader.ErrTooLarge, limit, root)
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		_, reason, err := tree.File(name, d)
		if err != nil {
			return err
		}
		if reason != "" {
			in.refused = append(in.refused, passed{path, reason})
			return nil
		}
		if !in.take(path, formats) {
			others = append(others, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var tops []string
	for name, list := range in.releases {
		in.releases[name] = outermost(list)
		tops = append(tops, in.releases[name]...)
	}
	// All other files of a release belong to it.
	inRelease := func(path string) bool {
		return slices.ContainsFunc(tops, func(top string) bool { return within(path, top) })
	}
	in.unrecognized = slices.DeleteFunc(others, inRelease)
	in.refused = slices.DeleteFunc(in.refused, func(f passed) bool { return inRelease(f.path) }) // its reader warns
	in.resources = slices.DeleteFunc(in.resources, func(path string) bool {
		return inRelease(path) && !bytes.Contains(loader.Peek(path, 4096), []byte(`"resourceType"`))
	})
	return in, nil
}

// take records the format of a file and reports whether it has one.
func (in *folder) take(path string, formats []Format) bool {
	readable := fhir.Readable(filepath.Base(path))
	for _, f := range formats {
		detect := f.detect
		if f.detectIn != nil {
			detect = f.detectIn
		}
		switch {
		case readable && !f.json || !detect(path):
		case f.inRelease != nil && !loader.IsZip(path):
			in.releases[f.Name] = append(in.releases[f.Name], in.top(path, f.inRelease))
			return true
		default:
			in.files = append(in.files, found{f, path})
			return true
		}
	}
	if readable || fhir.IsXML(path) {
		in.resources = append(in.resources, path)
		return true
	}
	return false
}

// top returns the top folder of the release that a file belongs to: the parent of the first folder
// with one of the names, or else the folder that holds the file.
func (in *folder) top(path string, names []string) string {
	below, err := filepath.Rel(in.root, path)
	if err != nil {
		return in.root
	}
	parts := strings.Split(below, string(filepath.Separator))
	end := slices.IndexFunc(parts, func(part string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(part, name) })
	})
	if end < 0 {
		end = len(parts) - 1
	}
	return filepath.Join(append([]string{in.root}, parts[:end]...)...)
}

// outermost returns the distinct folders that lie in no other folder of the list.
func outermost(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(slices.Clone(list), func(path string) bool {
		return slices.ContainsFunc(list, func(top string) bool { return top != path && within(path, top) })
	})
}

// within reports whether a path lies in a folder.
func within(path, folder string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
}

// warned is how many files a warning names.
const warned = 10

// warn warns about the files beside the group that are not read.
func (g *Group) warn(warn func(string)) {
	if len(g.unrecognized) > 0 {
		warn(g.skipped())
	}
	for i, reason := range g.refused {
		if i == warned {
			warn(fmt.Sprintf("skipped: %d more files for such reasons", len(g.refused)-warned))
			return
		}
		warn("skipped: " + reason)
	}
}

// skipped returns the warning about files that no reader takes.
func (g *Group) skipped() string {
	names := g.unrecognized[:min(len(g.unrecognized), warned)]
	text := "skipped, as their format is not recognized: " + strings.Join(names, ", ")
	if more := len(g.unrecognized) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
