package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/roget-health/roget/adapters/datadir"
	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// loadGC is how much the heap may grow between collections while sources are
// compiled, in percent: there is one large index at a time, and twice of it is much.
const loadGC = 40

// Load compiles sources into one pack of a data folder, which appears when all is
// well.
func (backend) Load(ctx context.Context, req cliadapter.LoadRequest, obs cliadapter.Observer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(loadGC))
	dir, err := openData(ctx, req.Data, dataLoad, nil)
	if err != nil {
		return err
	}
	defer dir.Close()
	writer, err := dir.Writer(ctx)
	if err != nil {
		return err
	}
	defer writer.Abort()
	sink := &packSink{writer: writer, watch: newWatch(obs)}
	for _, path := range req.Paths {
		if err := readPath(ctx, path, req.KeepGoing, obs, sink); err != nil {
			return err
		}
		if err := writer.AddSource(path); err != nil {
			return err
		}
	}
	return writer.Commit()
}

// compileSources compiles the sources of a pack again.
func compileSources(ctx context.Context, w *datadir.Writer, sources []datadir.Source) error {
	defer debug.SetGCPercent(debug.SetGCPercent(loadGC))
	sink := &packSink{writer: w, watch: newWatch(silent{})}
	for _, s := range sources {
		if err := readPath(ctx, s.Path, false, silent{}, sink); err != nil {
			return err
		}
		if err := w.AddSource(s.Path); err != nil {
			return err
		}
	}
	return nil
}

// readPath reads a file or folder into a sink. With keepGoing, errors in the sources
// are told to obs and do not end the reading.
func readPath(ctx context.Context, path string, keepGoing bool, obs cliadapter.Observer, sink fhir.Sink) error {
	skipped := 0
	err := fhir.Load(ctx, path, fhir.Options{
		KeepGoing: keepGoing,
		Progress: func(p fhir.Progress) {
			skipped = p.Skipped
			obs.Progress(p.Path, p.BytesRead, p.BytesTotal)
		},
	}, sink)
	obs.Skipped(skipped)
	if err == nil || !keepGoing || ctx.Err() != nil {
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

// packSink writes what is read to a pack.
type packSink struct {
	writer *datadir.Writer
	watch  *watch
}

// CodeSystem writes the snapshot of an index.
func (s *packSink) CodeSystem(index *codesystem.Index, origin fhir.Origin) error {
	if err := s.writer.AddCodeSystem(index, engine.OriginText(origin)); err != nil {
		return err
	}
	s.watch.codeSystem(index, origin)
	return nil
}

// Document writes a value set or concept map that can be read.
func (s *packSink) Document(kind string, header *r4.Header, body []byte, origin fhir.Origin) error {
	if err := checkDocument(kind, body); err != nil {
		return err
	}
	if err := s.writer.AddDocument(header, body, engine.OriginText(origin)); err != nil {
		return err
	}
	s.watch.document(kind, header, body, origin)
	return nil
}

// checkDocument reports a value set or concept map that cannot be read.
func checkDocument(kind string, body []byte) error {
	var err error
	switch kind {
	case "ValueSet":
		_, err = r4.DecodeValueSet(body)
	case "ConceptMap":
		_, err = r4.DecodeConceptMap(body)
	default:
		err = fmt.Errorf("resource type %s is not one of terminology", kind)
	}
	return err
}

// A watch tells an observer of resources, with the time each took.
type watch struct {
	obs  cliadapter.Observer
	last time.Time
}

func newWatch(obs cliadapter.Observer) *watch { return &watch{obs: obs, last: time.Now()} }

func (w *watch) codeSystem(x *codesystem.Index, origin fhir.Origin) {
	h := x.Header()
	w.tell(cliadapter.Loaded{
		Kind: "CodeSystem", URL: h.URL, Version: h.Version, Concepts: x.Len(), Size: int64(len(x.Bytes())), File: origin.Path,
	})
}

func (w *watch) document(kind string, h *r4.Header, body []byte, origin fhir.Origin) {
	w.tell(cliadapter.Loaded{Kind: kind, URL: h.URL, Version: h.Version, Size: int64(len(body)), File: origin.Path})
}

func (w *watch) tell(l cliadapter.Loaded) {
	now := time.Now()
	l.Time, w.last = now.Sub(w.last), now
	w.obs.Resource(l)
}

// silent is an observer that tells nobody.
type silent struct{}

func (silent) Progress(string, int64, int64) {}
func (silent) Resource(cliadapter.Loaded)    {}
func (silent) Skipped(int)                   {}
func (silent) Failed(error)                  {}
