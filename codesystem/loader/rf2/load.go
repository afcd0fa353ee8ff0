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
	// ErrNoBase is returned when there are only Delta files: what they change is missing.
	ErrNoBase = errors.New("a Delta without the release it changes")
	// ErrModule is returned when a module is missing, or too old, that another one
	// depends on by the module dependency reference set.
	ErrModule = errors.New("module dependency is not satisfied")
	// ErrUnknownConcept is returned for a row about a concept that is in no file.
	ErrUnknownConcept = errors.New("concept is not in the release")
	// ErrEdition is returned when it is not clear which module names the edition.
	ErrEdition = errors.New("edition is not clear")
	// ErrOptions is returned for options that cannot be used.
	ErrOptions = errors.New("bad option")
)

// Options say how to read a release. The zero Options take the latest state of everything
// and find out the edition.
type Options struct {
	loader.Options
	// AsOf is a date like 20240131: rows that came into effect later do not count. Full
	// files have all that is needed for any date; a Snapshot only that of its release.
	AsOf string
	// Edition is the identifier of the module after which the edition is named; "" finds
	// out by the module dependency reference set.
	Edition string
	// LanguageRefset is the identifier of the language reference set whose preferred
	// synonyms are displays, or a dialect alias of it such as en-gb; "" stands for American
	// English, or else the one with the most rows. Where it prefers nothing for a concept,
	// the others are asked.
	LanguageRefset string
	// LaxIdentifiers accepts identifiers of components with a wrong check digit or
	// partition.
	LaxIdentifiers bool
	// LaxDependencies accepts that modules are missing, or too old, that others depend on.
	LaxDependencies bool
}

// Detect reports whether a path is a release, or a part of one such as a package of reference
// sets: a folder or zip archive with a file that is one by its name.
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

// Load reads the packages at paths, folders or zip archives, as one release: an edition,
// or the International Edition with extensions, and Deltas to be applied to them. Of each
// package the Snapshot is read, or else the Full files, or else the Delta; with
// Options.AsOf the Full files come first. The edition goes to the sink as one CodeSystem.
//
// Errors: those above; ErrDamaged naming file and line; loader.ErrNothing when there are
// no release files; codesystem.ErrCycle and others of its Builder.
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
	return r.HandOn(builder, origin, sink)
}

// originOf names all packages, with the size of the files read and the time of the latest.
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
			return nil, fmt.Errorf("%w: as of %q, expected a date like 20240131", ErrOptions, opts.AsOf)
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

// packageOf returns the folder of the package that a file lies in: the one above Snapshot,
// Full or Delta.
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
