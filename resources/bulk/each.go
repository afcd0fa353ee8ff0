package bulk

import (
	"context"
	"errors"

	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
)

// Found is a resource of a file.
type Found struct {
	File, Place string // as of a Refusal
	// Document is the resource, a Bundle like others; nil when Err says why it, or the rest of
	// the file, cannot be read.
	Document *document.Document
	Err      error
}

// Each calls visit with the resources in files and folders, which are read as by Import but
// for bundles: in the order of the paths, of the names in a folder, and of the text. It
// gives the number of files. An error of visit ends it.
func Each(ctx context.Context, paths []string, o Options, visit func(Found) error) (files int, err error) {
	o.Journal = ""
	m := newImporter(ctx, nil, o)
	defer func() { err = errors.Join(err, m.reading.Close()) }()
	var ended error // what visit, or ctx, has said
	m.opts.Refused = func(r Refusal) {
		if ended == nil {
			ended = visit(Found{File: r.File, Place: r.Place, Err: r.Err})
		}
	}
	m.visit = func(it item) error {
		if ended = ctx.Err(); ended != nil {
			return ended
		}
		found := Found{File: it.String(), Place: it.place}
		found.Document, found.Err = document.Parse(it.Body, r4.Limits{})
		ended = visit(found)
		m.reading.Count(0, 1, 0)
		return ended
	}
	list, err := m.files(paths)
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
