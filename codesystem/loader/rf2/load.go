package rf2

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/rf2/internal/checkdigit"
)

var (
	// ErrNoBase is returned when there are only Delta files, without the release that they change.
	ErrNoBase = errors.New("a Delta without the release it changes")
	// ErrModule is returned when a module is missing or too old, although another module depends on
	// it in the module dependency reference set.
	ErrModule = errors.New("module dependency is not satisfied")
	// ErrUnknownConcept is returned for a row about a concept that is in no file.
	ErrUnknownConcept = errors.New("concept is not in the release")
	// ErrEdition is returned when it is not clear which module names the edition.
	ErrEdition = errors.New("edition is not clear")
	// ErrOptions is returned for invalid options.
	ErrOptions = errors.New("bad option")
)

// Options control how a release is read. The zero Options take the latest state of everything and
// determine the edition.
type Options struct {
	loader.Options
	// AsOf is a date like 20240131: rows that came into effect after it are ignored. Full files
	// have the data for any date; a Snapshot only has that of its release.
	AsOf string
	// Edition is the identifier of the module that names the edition. With "" it is determined from
	// the module dependency reference set.
	Edition string
	// LanguageRefset is the identifier of the language reference set whose preferred synonyms are
	// displays, or a dialect alias for it such as en-gb. With "" it is American English, or else
	// the reference set with the most rows. For a concept without a preferred synonym in it, the
	// other reference sets are used.
	LanguageRefset string
	// LaxIdentifiers accepts identifiers of components with a wrong check digit or partition.
	LaxIdentifiers bool
	// LaxDependencies accepts modules that are missing or too old although others depend on them.
	LaxDependencies bool
}

// Detect reports whether a path is a release, or a part of a release such as a package of
// reference sets: a folder or zip archive with a file that has the name of a release file.
func Detect(name string) bool {
	r := loader.Begin(context.Background(), loader.Options{Limits: loader.Limits{MaxEntries: 100_000}})
	defer func() { _ = r.Close() }()
	files, err := r.Files(name)
	if err != nil {
		return false
	}
	for i := range files {
		if _, ok := parseName(files[i].Base()); ok {
			return true
		}
	}
	return false
}

// IsDelta reports whether a folder or zip archive only holds the Delta of a release, so that Load
// also needs the paths of that release.
func IsDelta(name string) bool {
	r := loader.Begin(context.Background(), loader.Options{})
	defer func() { _ = r.Close() }()
	files, err := r.Files(name)
	if err != nil {
		return false
	}
	found := false
	for i := range files {
		n, ok := parseName(files[i].Base())
		if !ok {
			continue
		}
		if n.release != delta {
			return false
		}
		found = true
	}
	return found
}

// Load reads the packages at paths, folders or zip archives, as one release: an edition, or the
// International Edition with extensions, and Deltas to apply to them. Of each package it reads the
// Snapshot, or else the Full files, or else the Delta; with Options.AsOf it prefers the Full
// files. The edition is passed to the sink as one CodeSystem.
//
// Errors: those above; ErrDamaged with file and line; loader.ErrNothing when there are no release
// files; codesystem.ErrCycle and other errors of its Builder.
func Load(ctx context.Context, paths []string, opts Options, sink loader.Sink) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := loader.Begin(ctx, opts.Options)
	defer func() { _ = r.Close() }()
	e, err := newEdition(r, stop, &opts)
	if err != nil {
		return err
	}
	files, err := e.choose(paths)
	if err != nil {
		return err
	}
	if err := e.read(files); err != nil {
		return err
	}
	builder, err := e.builder()
	if err != nil {
		return err
	}
	origin := originOf(paths, files)
	*e = edition{}
	return r.Deliver(builder, origin, sink)
}

// originOf returns all packages, with the size of the files read and the time of the latest file.
func originOf(paths []string, files []source) loader.Origin {
	o := loader.Origin{Path: strings.Join(paths, ", ")}
	for i := range files {
		o.Size += files[i].Size
		if t := files[i].Origin.ModTime; t.After(o.ModTime) {
			o.ModTime = t
		}
	}
	return o
}

// newEdition checks the options.
func newEdition(r *loader.Reading, stop context.CancelCauseFunc, opts *Options) (*edition, error) {
	e := &edition{reading: r, stop: stop, lax: opts.LaxIdentifiers, laxModules: opts.LaxDependencies, identity: opts.Identity}
	if opts.AsOf != "" {
		date, ok := parseDate([]byte(strings.ReplaceAll(opts.AsOf, "-", "")))
		if !ok {
			return nil, fmt.Errorf("%w: the date %q is not of the form 20240131", ErrOptions, opts.AsOf)
		}
		e.asOf = date
	}
	language := opts.LanguageRefset
	if refset, ok := codesystem.DialectRefset(language); ok {
		language = refset
	}
	for _, o := range []struct {
		to               *sctid
		text, name, want string
	}{
		{&e.module, opts.Edition, "edition", "the identifier of a module"},
		{&e.language, language, "language reference set", "its identifier, or a dialect such as en-gb"},
	} {
		if o.text == "" {
			continue
		}
		id, ok := parseID([]byte(o.text))
		if !ok || !checkdigit.Verhoeff([]byte(o.text)) && !opts.LaxIdentifiers {
			return nil, fmt.Errorf("%w: %s %q, expected %s", ErrOptions, o.name, o.text, o.want)
		}
		*o.to = id
	}
	return e, nil
}

// packageOf returns the folder of the package that contains a file: the parent of Snapshot, Full
// or Delta.
func packageOf(name string) string {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, word := range releaseNames {
			if strings.EqualFold(path.Base(dir), word) {
				return path.Dir(dir)
			}
		}
	}
	return ""
}
