package backend

import (
	"bytes"
	"context"

	"github.com/roget-health/roget/cliadapter"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/examples/samples"
	"github.com/roget-health/roget/resources/r4"
)

// readEntries reads files and folders into memory.
func readEntries(ctx context.Context, paths []string, obs cliadapter.Observer) ([]*engine.Entry, error) {
	sink := &entrySink{watch: newWatch(obs)}
	groups, err := formats.Groups(paths, formats.Settings{})
	if err != nil {
		return nil, err
	}
	for i := range groups {
		if err := readGroup(ctx, &groups[i], formats.Settings{}, false, obs, sink); err != nil {
			return nil, err
		}
	}
	return sink.Entries, nil
}

// builtIn selects the built-in content to publish.
type builtIn struct {
	samples bool // small sample code systems
	base    bool // code systems and value sets of FHIR R4 core
}

// entries returns the selected content.
func (b builtIn) entries(ctx context.Context) (entries []*engine.Entry, err error) {
	if b.samples {
		if entries, err = sampleEntries(ctx); err != nil {
			return nil, err
		}
	}
	if b.base {
		entries = append(entries, base.Entries()...)
	}
	return entries, nil
}

// sampleEntries reads the built-in samples.
func sampleEntries(ctx context.Context) ([]*engine.Entry, error) {
	sink := &engine.Collector{BuiltIn: true}
	for name, text := range samples.All() {
		if err := fhir.Read(ctx, bytes.NewReader(text), name, fhir.Options{}, sink); err != nil {
			return nil, err
		}
	}
	return sink.Entries, nil
}

// entrySink collects entries and reports them to an observer.
type entrySink struct {
	engine.Collector
	watch *watch
}

// CodeSystem collects an index.
func (s *entrySink) CodeSystem(index *codesystem.Index, origin loader.Origin) error {
	s.watch.codeSystem(index, origin)
	s.watch.withoutURL(&index.Header().Header, origin)
	return s.Collector.CodeSystem(index, origin)
}

// Document collects a value set or concept map.
func (s *entrySink) Document(kind string, header *r4.Header, body []byte, origin loader.Origin) error {
	s.watch.document(kind, header, body, origin)
	s.watch.withoutURL(header, origin)
	return s.Collector.Document(kind, header, body, origin)
}
