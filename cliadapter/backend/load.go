package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/codesystem/loader/rf2"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// loadGC is the growth of the heap between collections while sources are compiled, in percent.
// Compiling holds one large index at a time; the default of 100 would double its memory.
const loadGC = 40

// Load compiles sources into one pack of a data folder. The pack appears only if all of them
// compile.
func (Backend) Load(ctx context.Context, req cliadapter.LoadRequest, obs cliadapter.Observer) error {
	if err := checkOwner(req.Data); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(loadGC))
	dir, err := openData(ctx, req.Data, dataLoad, nil)
	if err != nil {
		return err
	}
	defer closing(dir)
	writer, err := dir.Writer(ctx)
	if err != nil {
		return err
	}
	defer writer.Abort()
	groups, err := formats.Groups(req.Paths, req.Settings)
	if err != nil {
		return err
	}
	settings := req.Settings
	for i := range groups {
		if err := addBase(&groups[i], &settings, dir.Sources()); err != nil {
			return err
		}
	}
	replaced := newReplacedReport(dir.Entries())
	sink := &packSink{writer: writer, watch: newWatch(obs), keepGoing: req.KeepGoing, replaced: replaced}
	switch err := sink.read(ctx, groups, settings, obs); {
	case errors.Is(err, rf2.ErrOptions):
		return &cliadapter.UsageError{Err: err}
	case err != nil:
		return err
	}
	if err := writer.Commit(); err != nil {
		return err
	}
	replaced.report(obs)
	return nil
}

// addBase prepends to a delta the sources of the release that was loaded last. The settings of
// that load apply where the present request sets nothing, except the date.
func addBase(g *formats.Group, settings *formats.Settings, loaded [][]datadir.Source) error {
	if !g.Changes() {
		return nil
	}
	given := make([]string, len(g.Paths))
	for i, path := range g.Paths {
		var err error
		if given[i], err = filepath.Abs(path); err != nil {
			return err
		}
	}
	for _, sources := range slices.Backward(loaded) {
		then, err := settingsOf(sources)
		if err != nil {
			return err
		}
		var paths []string
		for _, s := range sources {
			if !slices.Contains(given, s.Path) && g.Format.Takes(s.Path, then) {
				paths = append(paths, s.Path)
			}
		}
		if len(paths) == 0 {
			continue
		}
		g.Paths = append(paths, g.Paths...)
		*settings = settings.After(then)
		return nil
	}
	return nil
}

// settingsOf returns the settings that the sources of a pack were loaded with. They are the same
// for all sources of a pack, because one call of Load writes a pack.
func settingsOf(sources []datadir.Source) (settings formats.Settings, err error) {
	for _, s := range sources {
		if s.Settings == nil {
			continue
		}
		if err := json.Unmarshal(s.Settings, &settings); err != nil {
			return settings, fmt.Errorf("settings of %s: %w", s.Path, err)
		}
	}
	return settings, nil
}

// compileSources compiles the sources of a pack again. The sources are unchanged, so files that
// were left out because of errors are left out again.
func compileSources(ctx context.Context, w *datadir.Writer, sources []datadir.Source) error {
	defer debug.SetGCPercent(debug.SetGCPercent(loadGC))
	sink := &packSink{writer: w, watch: newWatch(silent{}), keepGoing: true, replaced: newReplacedReport(nil)}
	settings, err := settingsOf(sources)
	if err != nil {
		return err
	}
	paths := make([]string, len(sources))
	for i, s := range sources {
		paths[i] = s.Path
	}
	groups, err := formats.Groups(paths, settings)
	if err != nil {
		return err
	}
	return sink.read(ctx, groups, settings, silent{})
}

// readGroup reads the paths of a group into a sink. With keepGoing, errors in the sources are
// reported to obs and do not stop the reading.
func readGroup(ctx context.Context, g *formats.Group, settings formats.Settings, keepGoing bool, obs cliadapter.Observer, sink loader.Sink) error {
	skipped := 0
	err := g.Load(ctx, formats.Options{
		Settings: settings,
		Options: loader.Options{
			KeepGoing: keepGoing,
			Progress: func(p loader.Progress) {
				skipped = p.Skipped
				obs.Progress(p)
			},
			Warn: obs.Warned,
		},
	}, sink)
	obs.Skipped(skipped)
	if errors.Is(err, loader.ErrNothing) && isDataFolder(g.Paths[0]) {
		return fmt.Errorf("%w; this is a data folder: use --data to name it", err)
	}
	if err == nil || !keepGoing || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, loader.ErrNothing) {
		return err
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			obs.Failed(one)
		}
		return nil
	}
	obs.Failed(err)
	return nil
}

// isDataFolder reports whether path is a data folder, which is easily mistaken for a source.
func isDataFolder(path string) bool {
	packs, err := filepath.Glob(filepath.Join(path, "packs", "*.pack"))
	return err == nil && len(packs) > 0
}

// A packSink writes resources to a pack.
type packSink struct {
	writer    *datadir.Writer
	watch     *watch
	replaced  *replacedReport
	keepGoing bool
	broken    error // of the writer; it stops the load even with keepGoing
}

// read reads files and folders and records them as sources of the pack.
func (s *packSink) read(ctx context.Context, groups []formats.Group, settings formats.Settings, obs cliadapter.Observer) error {
	var stored json.RawMessage
	if settings != (formats.Settings{}) {
		var err error
		if stored, err = json.Marshal(settings); err != nil {
			return err
		}
	}
	for i := range groups {
		err := readGroup(ctx, &groups[i], settings, s.keepGoing, obs, s)
		if s.broken != nil {
			err = s.broken
		}
		for _, path := range groups[i].Paths {
			if err == nil {
				err = s.writer.AddSource(path, stored, groups[i].Beside(path)...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CodeSystem writes the snapshot of an index.
func (s *packSink) CodeSystem(index *codesystem.Index, origin loader.Origin) error {
	if s.broken = s.writer.AddCodeSystem(index, engine.OriginText(origin)); s.broken != nil {
		return s.broken
	}
	s.watch.codeSystem(index, origin)
	h := index.Header()
	s.replaced.add(&h.Header, index.Len(), engine.OriginText(origin))
	s.watch.withoutURL(&h.Header, origin)
	return nil
}

// Document checks a value set or concept map and writes it.
func (s *packSink) Document(kind string, header *r4.Header, body []byte, origin loader.Origin) error {
	if err := engine.CheckDocument(kind, body); err != nil {
		if !s.keepGoing {
			return err
		}
		s.watch.obs.Failed(fmt.Errorf("%s: %w", origin, err))
		return nil
	}
	if s.broken = s.writer.AddDocument(header, body, engine.OriginText(origin)); s.broken != nil {
		return s.broken
	}
	s.watch.document(kind, header, body, origin)
	s.replaced.add(header, 0, engine.OriginText(origin))
	s.watch.withoutURL(header, origin)
	return nil
}

// A watch reports resources to an observer, with the time that each took.
type watch struct {
	obs   cliadapter.Observer
	since time.Time // the end of the previous resource
}

func newWatch(obs cliadapter.Observer) *watch { return &watch{obs: obs, since: time.Now()} }

func (w *watch) codeSystem(x *codesystem.Index, origin loader.Origin) {
	h := x.Header()
	w.report(cliadapter.Loaded{
		Kind: "CodeSystem", URL: h.URL, Version: h.Version, Concepts: x.Len(), Size: int64(len(x.Bytes())), File: origin.Path,
	})
}

func (w *watch) document(kind string, h *r4.Header, body []byte, origin loader.Origin) {
	w.report(cliadapter.Loaded{Kind: kind, URL: h.URL, Version: h.Version, Size: int64(len(body)), File: origin.Path})
}

// withoutURL warns about a resource that no url finds.
func (w *watch) withoutURL(h *r4.Header, origin loader.Origin) {
	if h.URL == "" {
		w.obs.Warned(fmt.Sprintf("%s: the %s %q has no url, so no request can name it: add \"url\" to the file and load it again", origin, h.ResourceType, h.ID))
	}
}

func (w *watch) report(l cliadapter.Loaded) {
	now := time.Now()
	l.Time, w.since = now.Sub(w.since), now
	w.obs.Resource(l)
}

// silent is an observer that ignores everything.
type silent struct{}

func (silent) Progress(loader.Progress)   {}
func (silent) Resource(cliadapter.Loaded) {}
func (silent) Skipped(int)                {}
func (silent) Warned(string)              {}
func (silent) Failed(error)               {}
