package obo

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// Load reads the file at path, which may be compressed with gzip, and hands one code system to the
// sink for each ontology: one for an OBO file, one for each graph of OBO graphs. Errors name file
// and line and wrap loader.ErrFormat, loader.ErrTooLarge, *r4.SyntaxError or the errors of
// codesystem.Builder. KeepGoing has no effect: a faulty file makes no code system.
//
// Unless the file states them, the url is http://purl.obolibrary.org/obo/NAME.owl for the ontology
// NAME, and the version is its data-version, or else its date.
func Load(ctx context.Context, path string, opts loader.Options, sink loader.Sink) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	j := &job{reading: r, path: path, identity: opts.Identity, sink: sink}
	head := bytes.TrimLeft(loader.Peek(path, peeked), " \t\r\n")
	if len(head) > 0 && head[0] == '{' {
		return j.graphs()
	}
	return j.text()
}

const peeked = 4096

// Detect reports whether the file at path is an OBO file or holds OBO graphs.
func Detect(path string) bool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	head := bytes.TrimLeft(loader.Peek(path, peeked), " \t\r\n")
	switch {
	case strings.HasSuffix(name, ".obo"):
		return len(head) > 0 && bytes.IndexByte(head, 0) < 0
	case strings.HasSuffix(name, ".json"):
		return bytes.HasPrefix(head, []byte("{")) && !bytes.Contains(head, []byte(`"resourceType"`)) &&
			bytes.Contains(head, []byte(`"graphs"`))
	}
	return bytes.HasPrefix(head, []byte("format-version:"))
}

// A job is the state of one call of Load.
type job struct {
	reading  *loader.Reading
	path     string
	identity loader.Identity
	sink     loader.Sink
}

// pass reads the file once.
func (j *job) pass(read func(in *loader.Stream) error) error {
	in, err := loader.Open(j.reading, j.path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if err := read(in); err != nil {
		return fmt.Errorf("%s: %w", in.Origin(), err)
	}
	return nil
}
