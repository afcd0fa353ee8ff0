package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/roget-health/roget/codesystem/loader"
)

// maxManifest is the maximum size of a manifest in bytes.
const maxManifest = 8 << 20

// IsURL reports whether a path is an http or https URL.
func IsURL(path string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(path), "://")
	return found && (scheme == "http" || scheme == "https")
}

// remoteFiles returns the files of a manifest of the Bulk Data guide
// (https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---output-manifest).
func (m *importer) remoteFiles(ctx context.Context, address string) ([]*source, error) {
	base, err := url.Parse(address)
	if err != nil || m.opts.Remote == nil {
		return nil, errors.Join(errors.New("URLs are not read here"), err)
	}
	in, err := m.opts.Remote(ctx, address)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxManifest+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	var manifest struct {
		TransactionTime time.Time
		Output, Deleted []struct{ URL string }
	}
	switch err := json.Unmarshal(text, &manifest); {
	case len(text) > maxManifest:
		return nil, fmt.Errorf("%w: the manifest has more than %d bytes", loader.ErrTooLarge, maxManifest)
	case err != nil:
		return nil, fmt.Errorf("this is not the manifest of a bulk export: %w", err)
	case manifest.Output == nil:
		return nil, errors.New("this is not the manifest of a bulk export: it has no output")
	}
	var list []*source
	for _, f := range append(manifest.Output, manifest.Deleted...) {
		at, err := base.Parse(f.URL)
		if err != nil || !IsURL(at.String()) {
			return nil, fmt.Errorf("the manifest names the file %.200q, which is not an http or https URL", f.URL)
		}
		origin := loader.Origin{Path: at.String(), ModTime: manifest.TransactionTime}
		if m.journal.has(origin) {
			m.report.Done++
			continue
		}
		list = append(list, remoteFile(origin))
	}
	return list, nil
}

// A download is a file that is read from a URL.
type download struct {
	*loader.Stream
	body io.Closer
}

// Close ends the download.
func (d download) Close() error { return errors.Join(d.Stream.Close(), d.body.Close()) }

func (b *batcher) download(ctx context.Context, f *source) (io.ReadCloser, error) {
	in, err := b.m.opts.Remote(ctx, f.Origin.Path)
	if err != nil {
		return nil, err
	}
	s, err := b.m.reading.Stream(in, f.Origin)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return download{s, in}, nil
}

// remoteFile returns a file of NDJSON at a URL.
func remoteFile(origin loader.Origin) *source {
	return &source{remote: true, File: loader.File{Name: "x.ndjson", Origin: origin}}
}

// Lines stores the resources of one type in a file of NDJSON at a URL, by their ids. Every line is a
// resource, also a Bundle, and none waits for resources that it refers to by a search. A resource of
// another type, or without an id, is refused.
func Lines(ctx context.Context, target Target, typ, url string, o Options) (Report, error) {
	o.Journal = ""
	m := newImporter(ctx, target, o)
	m.only, m.last = typ, true
	return m.all(ctx, []string{url})
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
