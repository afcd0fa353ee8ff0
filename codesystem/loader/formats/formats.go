// Package formats lists the formats that code systems are read from, and reads paths of any of
// them.
package formats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/claml"
	"github.com/roget-health/roget/codesystem/loader/csv"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/icd10cm"
	"github.com/roget-health/roget/codesystem/loader/loinc"
	"github.com/roget-health/roget/codesystem/loader/obo"
	"github.com/roget-health/roget/codesystem/loader/rf2"
	"github.com/roget-health/roget/codesystem/loader/rxnorm"
)

// Options control how sources are read. The zero Options are good defaults.
type Options struct {
	loader.Options
	Settings
}

// Settings are what a user says about sources besides their paths. They are stored with the
// compiled sources, so that these can be compiled again.
type Settings struct {
	// Format is the name of the format of all paths. With "" each path is inspected.
	Format string `json:"format,omitempty"`
	// Identity names the code system where its source does not. It only makes sense for sources of
	// one code system.
	Identity loader.Identity `json:"identity,omitzero"`
	// The remaining fields are those of rf2.Options.
	AsOf            string `json:"asOf,omitempty"`
	Edition         string `json:"edition,omitempty"`
	LanguageRefset  string `json:"languageRefset,omitempty"`
	LaxIdentifiers  bool   `json:"laxIdentifiers,omitempty"`
	LaxDependencies bool   `json:"laxDependencies,omitempty"`
}

// A Format is a notation for code systems, or the layout of a release.
type Format struct {
	// Name is the format's name in Settings. Title is for people.
	Name, Title string
	// Together reports whether all paths in the format make one code system.
	Together bool

	detect func(path string) bool
	// detectIn replaces detect for a file in a folder; nil: detect is used.
	detectIn func(path string) bool
	// inRelease names the folders at the top of a release; nil: a source is a file.
	inRelease []string
	// json reports whether a source may also look like FHIR JSON by its name.
	json bool
	// changes reports whether a path only holds the changes of a release; nil: none does.
	changes func(path string) bool
	// beside lists the files that are read together with the file at a path; nil: there are none.
	beside func(path string) []string
	load   func(ctx context.Context, paths []string, opts Options, sink loader.Sink) error
}

// table lists the formats in the order in which they are tried. FHIR is last: it takes whatever is
// left and explains what is wrong with it.
func table() []Format {
	return []Format{
		{Name: "loinc", Title: "LOINC release (folder, zip, or Loinc.csv)", detect: loinc.Detect, inRelease: []string{"LoincTable", "LoincTableCore", "AccessoryFiles"}, load: plain(loinc.Load)},
		{Name: "rxnorm", Title: "RxNorm release in RRF (folder, zip, or RXNCONSO.RRF)", detect: rxnorm.Detect, inRelease: []string{"rrf"}, load: plain(rxnorm.Load)},
		{Name: "claml", Title: "ClaML 2.0 and 3.0", detect: claml.Detect, load: plain(claml.Load)},
		{Name: "csv", Title: "tables (CSV, TSV) with a mapping file", detect: csv.Detect, detectIn: csv.Mapped, json: true, beside: csv.Beside, load: plain(csv.Load)},
		{Name: "icd10cm", Title: "ICD-10-CM: the tabular list in XML, the order file", detect: icd10cm.Detect, beside: icd10cm.Beside, load: plain(icd10cm.Load)},
		{Name: "obo", Title: "OBO files and OBO graphs", detect: obo.Detect, json: true, load: plain(obo.Load)},
		{
			Name: "rf2", Title: "SNOMED CT releases in RF2: Snapshot, Full and Delta, folders and zip archives", Together: true,
			detect: rf2.Detect, inRelease: []string{"Snapshot", "Full", "Delta"}, changes: rf2.IsDelta,
			load: func(ctx context.Context, paths []string, opts Options, sink loader.Sink) error {
				return rf2.Load(ctx, paths, rf2.Options{
					Options: opts.Options, AsOf: opts.AsOf, Edition: opts.Edition, LanguageRefset: opts.LanguageRefset,
					LaxIdentifiers: opts.LaxIdentifiers, LaxDependencies: opts.LaxDependencies,
				}, sink)
			},
		},
		{
			Name: "fhir", Title: "FHIR R4 and R5 JSON, NDJSON, XML, Bundles and packages",
			detect: func(string) bool { return true },
			load:   plain(fhir.Load),
		},
	}
}

// plain reads paths one by one with a reader that only needs loader.Options.
func plain(load func(context.Context, string, loader.Options, loader.Sink) error) func(context.Context, []string, Options, loader.Sink) error {
	return each(func(ctx context.Context, path string, opts Options, sink loader.Sink) error {
		return load(ctx, path, opts.Options, sink)
	})
}

// each reads paths one by one.
func each(load func(context.Context, string, Options, loader.Sink) error) func(context.Context, []string, Options, loader.Sink) error {
	return func(ctx context.Context, paths []string, opts Options, sink loader.Sink) error {
		for _, path := range paths {
			if err := load(ctx, path, opts, sink); err != nil {
				return err
			}
		}
		return nil
	}
}

// Takes reports whether a path that was read with these settings was read in this format.
func (f *Format) Takes(path string, settings Settings) bool {
	if settings.Format != "" {
		return settings.Format == f.Name
	}
	if f.inRelease != nil {
		return f.detect(path) // a folder may hold sources of several formats
	}
	of := Detect(path)
	return of.Name == f.Name
}

// After returns the settings for the changes of a release that was read with the settings then: s,
// completed by then except for date and version.
func (s Settings) After(then Settings) Settings {
	s.Identity.URL = cmp.Or(s.Identity.URL, then.Identity.URL)
	s.Identity.Title = cmp.Or(s.Identity.Title, then.Identity.Title)
	s.Edition = cmp.Or(s.Edition, then.Edition)
	s.LanguageRefset = cmp.Or(s.LanguageRefset, then.LanguageRefset)
	s.LaxIdentifiers = s.LaxIdentifiers || then.LaxIdentifiers
	s.LaxDependencies = s.LaxDependencies || then.LaxDependencies
	return s
}

// All lists the formats.
func All() []Format { return table() }

// Names lists the names of the formats.
func Names() []string {
	var names []string
	for _, f := range table() {
		names = append(names, f.Name)
	}
	return names
}

// Detect returns the format of an existing path.
func Detect(path string) Format {
	all := table()
	for _, f := range all {
		if f.detect(path) {
			return f
		}
	}
	return all[len(all)-1]
}

// A Group is a set of paths that are read together.
type Group struct {
	Format Format
	Paths  []string

	unrecognized []string // files beside them in no known format
	refused      []string // why others beside them are not read; see loader.Folder
	optional     bool     // the paths need not hold anything
}

// Groups groups the paths that make one code system. Every other path is a group by itself, unless
// it is read together with an earlier path. A folder is searched: it becomes a group for each
// release and each file of a known format in it, and a group for its FHIR resources. Groups are in
// the order of their first paths. Errors: a path does not exist or is a pipe or device
// (loader.ErrNotRegular), or a format is unknown.
func Groups(paths []string, settings Settings) ([]Group, error) {
	g := grouping{together: map[string]int{}, beside: map[string]bool{}, seen: map[sourcePath]bool{}}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			err = g.addFolder(path, settings)
		} else if _, err = loader.Regular(path); err == nil {
			err = g.addPath(path, settings)
		}
		if err != nil {
			return nil, err
		}
	}
	return g.groups, nil
}

// A grouping is the state of one call of Groups.
type grouping struct {
	groups   []Group
	together map[string]int      // index in groups, by format
	beside   map[string]bool     // paths that are read together with an earlier path
	seen     map[sourcePath]bool // paths that were added; true if found in a folder
}

// A sourcePath is a path as the source of a format.
type sourcePath struct{ format, path string }

// addPath adds a path that is read as a whole, unless it was found in a folder before.
func (g *grouping) addPath(path string, settings Settings) error {
	f, err := formatOf(path, settings)
	if err != nil || g.seen[placeOf(f, path)] {
		return err
	}
	g.seen[placeOf(f, path)] = false
	g.add(f, path)
	return nil
}

// add adds a path to the group it belongs to.
func (g *grouping) add(f Format, path string) {
	if g.beside[filepath.Clean(path)] {
		return
	}
	if f.beside != nil {
		for _, other := range f.beside(path) {
			g.beside[filepath.Clean(other)] = true
		}
	}
	if f.Together {
		if at, ok := g.together[f.Name]; ok {
			g.groups[at].Paths = append(g.groups[at].Paths, path)
			return
		}
		g.together[f.Name] = len(g.groups)
	}
	g.groups = append(g.groups, Group{Format: f, Paths: []string{path}})
}

// addOnce adds a path that was found in a folder, unless it was found or named before, and
// reports whether it did.
func (g *grouping) addOnce(f Format, path string) bool {
	if _, ok := g.seen[placeOf(f, path)]; ok {
		return false
	}
	g.seen[placeOf(f, path)] = true
	g.add(f, path)
	return true
}

func placeOf(f Format, path string) sourcePath { return sourcePath{f.Name, filepath.Clean(path)} }

func formatOf(path string, settings Settings) (Format, error) {
	if settings.Format == "" {
		return Detect(path), nil
	}
	for _, f := range table() {
		if f.Name == settings.Format {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%w: %q; the formats are %s", loader.ErrFormat, settings.Format, strings.Join(Names(), ", "))
}

// Changes reports whether all paths of the group only hold the changes of a release, so that they
// must be read together with that release.
func (g *Group) Changes() bool {
	if g.Format.changes == nil {
		return false
	}
	for _, path := range g.Paths {
		if !g.Format.changes(path) {
			return false
		}
	}
	return true
}

// Beside lists the files that are read together with the file at a path of the group.
func (g *Group) Beside(path string) []string {
	if g.Format.beside == nil {
		return nil
	}
	return g.Format.beside(path)
}

// Load reads the paths of the group into a sink. It returns the errors of the reader.
func (g *Group) Load(ctx context.Context, opts Options, sink loader.Sink) error {
	if opts.Warn != nil {
		g.warn(opts.Warn)
	}
	opts.Options.Identity = opts.Settings.Identity
	err := g.Format.load(ctx, g.Paths, opts, sink)
	if g.optional && errors.Is(err, loader.ErrNothing) {
		return nil
	}
	return err
}

// Load reads paths in any format into a sink.
func Load(ctx context.Context, paths []string, opts Options, sink loader.Sink) error {
	groups, err := Groups(paths, opts.Settings)
	if err != nil {
		return err
	}
	for i := range groups {
		if err := groups[i].Load(ctx, opts, sink); err != nil {
			return err
		}
	}
	return nil
}
