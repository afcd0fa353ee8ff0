package main

import (
	"context"
	"io/fs"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/examples/samples"
	"github.com/roget-health/roget/resources/r4"
)

// readEntries reads files and folders into memory, for an engine.
func readEntries(ctx context.Context, paths []string, obs cliadapter.Observer) ([]*engine.Entry, error) {
	sink := &entrySink{watch: newWatch(obs)}
	for _, path := range paths {
		if err := readPath(ctx, path, false, obs, sink); err != nil {
			return nil, err
		}
	}
	return sink.entries, nil
}

// sampleEntries reads the built-in samples.
func sampleEntries(ctx context.Context) ([]*engine.Entry, error) {
	sink := &entrySink{watch: newWatch(silent{}), builtIn: true}
	err := fs.WalkDir(samples.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := samples.Files().Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return fhir.Read(ctx, file, path, fhir.Options{}, sink)
	})
	return sink.entries, err
}

// entrySink collects what is read as entries of an engine.
type entrySink struct {
	entries []*engine.Entry
	watch   *watch
	builtIn bool
}

// CodeSystem keeps an index.
func (s *entrySink) CodeSystem(index *codesystem.Index, origin fhir.Origin) error {
	s.add(engine.CodeSystemEntry(index, s.origin(origin)))
	s.watch.codeSystem(index, origin)
	return nil
}

// Document keeps a value set or concept map; it is decoded when it is first asked.
func (s *entrySink) Document(kind string, header *r4.Header, body []byte, origin fhir.Origin) error {
	e := &engine.Entry{
		Header: *header, Origin: s.origin(origin),
		Document: func() ([]byte, error) { return body, nil },
	}
	if kind == "ValueSet" {
		e.ValueSet = func() (*r4.ValueSet, error) { return r4.DecodeValueSet(body) }
	} else {
		e.ConceptMap = func() (*r4.ConceptMap, error) { return r4.DecodeConceptMap(body) }
	}
	s.add(e)
	s.watch.document(kind, header, body, origin)
	return nil
}

func (s *entrySink) add(e *engine.Entry) {
	e.BuiltIn = s.builtIn
	s.entries = append(s.entries, e)
}

func (s *entrySink) origin(o fhir.Origin) string {
	if s.builtIn {
		return "built in"
	}
	return originText(o)
}
