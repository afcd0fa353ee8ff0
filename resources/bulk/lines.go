package bulk

import (
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/codesystem/loader"
)

// Lines stores the resources of one type in a file of NDJSON at a URL, by their ids. Every line is a
// resource, also a Bundle, and none waits for resources that it refers to by a search. A resource of
// another type, or without an id, is refused.
func Lines(ctx context.Context, target Target, typ, url string, o Options) (Report, error) {
	o.Journal = ""
	m := newImporter(ctx, target, o)
	m.only, m.last = typ, true
	return m.all(ctx, []string{url})
}

// remoteFile returns a file of NDJSON at a URL.
func remoteFile(origin loader.Origin) *source {
	return &source{remote: true, File: loader.File{Name: "x.ndjson", Origin: origin}}
}

// accept returns an error for a document that Lines does not store. One whose type cannot be read is
// refused when it is stored, with the reason.
func (m *importer) accept(text []byte) error {
	switch typ, id := keyOf(text); {
	case typ != "" && typ != m.only:
		return fmt.Errorf("the resource has the type %.100s, and the file is said to have only %s; move the line to another file", typ, m.only)
	case typ != "" && id == "":
		return errors.New("the resource has no valid id, without which it would be stored again when the import is repeated; give it one")
	}
	return nil
}
