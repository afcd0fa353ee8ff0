package rf2

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// A source is a file to read.
type source struct {
	loader.File
	fileName
}

// A pack is a release package: the files of one folder or archive, by type of release.
type pack struct {
	path, folder string
	files        [releaseTypes][]source
}

// choose lists the files at paths and chooses those to read: from each package the files of one
// release type, Deltas last. It sets e.unique if every component occurs once.
func (e *edition) choose(paths []string) ([]source, error) {
	packs, err := e.packs(paths)
	if err != nil {
		return nil, err
	}
	order := []releaseType{snapshot, full, delta}
	if e.asOf != 0 {
		order = []releaseType{full, snapshot, delta}
	}
	var bases, deltas []source
	chosen := 0
	for _, p := range packs {
		for _, t := range order {
			if len(p.files[t]) == 0 {
				continue
			}
			chosen++
			if t == delta {
				deltas = append(deltas, p.files[t]...)
			} else {
				bases = append(bases, p.files[t]...)
			}
			break
		}
	}
	where := strings.Join(paths, ", ")
	files := slices.Concat(bases, deltas)
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("%s: %w: there are no release files such as sct2_Concept_Snapshot_INT_20250101.txt", where, loader.ErrNothing)
	case len(bases) == 0:
		return nil, fmt.Errorf("%s: %w: load it together with the Snapshot or Full files of that release", where, ErrNoBase)
	case !slices.ContainsFunc(files, func(f source) bool { return f.kind == concepts }):
		return nil, fmt.Errorf("%s: %w: the file of concepts (sct2_Concept_…) is missing", where, loader.ErrNothing)
	}
	conceptFiles := 0
	for i := range files {
		e.unpublished = e.unpublished || files[i].unpublished
		e.reading.Expect(files[i].Size)
		if files[i].kind == moduleDependencies {
			e.reading.Expect(files[i].Size) // read twice, for both of its meanings
		}
		if files[i].kind == concepts {
			conceptFiles++
		}
	}
	e.unique = chosen == 1 && conceptFiles == 1 && files[0].release == snapshot
	return files, nil
}

// packs lists the release files at paths, by package.
func (e *edition) packs(paths []string) ([]*pack, error) {
	var packs []*pack
	for _, path := range paths {
		files, err := e.reading.Files(path)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			n, ok := parseName(f.Base())
			if !ok {
				continue
			}
			folder := packageOf(f.Name)
			at := slices.IndexFunc(packs, func(p *pack) bool { return p.path == path && p.folder == folder })
			if at < 0 {
				at = len(packs)
				packs = append(packs, &pack{path: path, folder: folder})
			}
			packs[at].files[n.release] = append(packs[at].files[n.release], source{f, n})
		}
	}
	return packs, nil
}
