package bulk

import (
	"context"
	"errors"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// A Found is a resource in a file.
type Found struct {
	File, Place string // as in a Refusal
	// Document is the resource, which may be a Bundle; nil if it, or the rest of the file, cannot
	// be read because of Err.
	Document *document.Document
	Err      error
	// Body is the JSON of Document.
	Body []byte
	// XML is set if the file is XML, of which Document is the JSON.
	XML bool
}

// Each calls visit with the resources in files and folders, which it reads as Import does, except
// that bundles are resources like others. The order is that of the paths, of the names in a folder,
// and of the text. It returns the number of files, and stops at the first error of visit.
func Each(ctx context.Context, paths []string, o Options, visit func(Found) error) (files int, err error) {
	o.Journal = ""
	m := newImporter(ctx, nil, o)
	defer func() { err = errors.Join(err, m.reading.Close()) }()
	var ended error // the error of visit or ctx
	m.opts.Refused = func(r Refusal) {
		if ended == nil {
			ended = visit(Found{File: r.File, Place: r.Place, Err: r.Err})
		}
	}
	m.visit = func(it item) error {
		if ended = ctx.Err(); ended != nil {
			return ended
		}
		found := Found{File: it.String(), Place: it.place, XML: it.xml, Body: it.Body}
		if !o.Unparsed {
			found.Document, found.Err = document.Parse(it.Body, r4.Limits{})
		}
		ended = visit(found)
		m.reading.Count(0, 1, 0)
		return ended
	}
	list, err := m.files(ctx, paths)
	if err != nil {
		return 0, err
	}
	b := &batcher{m: m}
	for _, f := range list {
		if err := b.file(ctx, f); err != nil {
			return 0, err
		}
		if ended != nil {
			return 0, ended
		}
	}
	return len(list), nil
}
