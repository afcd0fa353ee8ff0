package fhir

import (
	"context"
	"errors"
	"io"

	"github.com/roget-health/roget/codesystem/loader"
)

// Types and errors that all readers share.
type (
	Sink     = loader.Sink
	Origin   = loader.Origin
	Options  = loader.Options
	Limits   = loader.Limits
	Progress = loader.Progress
)

var (
	// ErrNothing is returned when a source holds no CodeSystem, ValueSet or ConceptMap.
	ErrNothing = loader.ErrNothing
	// ErrFormat is returned for a source that is neither JSON nor XML of FHIR, nor gzip or a tar
	// archive of these.
	ErrFormat = errors.New("not FHIR JSON or XML")
	// ErrUnsafeName is returned for a name in an archive that points outside of it.
	ErrUnsafeName = loader.ErrUnsafeName
	// ErrTooLarge is returned when a source is larger than the Limits allow, as stored or
	// decompressed. A single value that is too large is an *r4.SyntaxError with code too-long.
	ErrTooLarge = loader.ErrTooLarge
)

// Load reads the file or folder at path. A folder is read recursively in the order of names:
// *.json, *.ndjson, *.xml, these with .gz, and *.tgz or *.tar.gz. Files that are not resources are
// skipped, as are names starting with a dot. In an unpacked FHIR package, and in a .tgz of one,
// only the files directly in package/ are read.
//
// Errors name the file, wrap *r4.SyntaxError or the errors of codesystem.Builder, and are
// ErrNothing when no CodeSystem, ValueSet or ConceptMap was found.
func Load(ctx context.Context, path string, opts Options, sink Sink) error {
	l := newReader(ctx, opts, sink)
	defer l.close()
	l.path(path)
	return l.finish(path)
}

// Read reads a stream: JSON, NDJSON, XML, a Bundle, gzip of these, or a package (.tgz). The name
// replaces the path in errors and Origins. Read does not close r.
func Read(ctx context.Context, r io.Reader, name string, opts Options, sink Sink) error {
	l := newReader(ctx, opts, sink)
	defer l.close()
	l.stream(r, Origin{Path: name}, false)
	return l.finish(name)
}
