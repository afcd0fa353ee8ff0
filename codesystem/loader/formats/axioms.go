package formats

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/classify/owl"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/obo"
	"github.com/roget-health/roget/codesystem/loader/rf2"
)

// Axioms reads the definitions of ontologies: the OWL expression reference sets of releases in RF2,
// which may be folders, archives or the file itself; OBO files and OBO graphs; OWL in functional
// syntax. All paths make one ontology.
func Axioms(ctx context.Context, paths []string, opts loader.Options, o *classify.Ontology) error {
	var releases []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		switch head := loader.Peek(path, 64<<10); {
		case info.IsDir(), loader.IsZip(path), strings.Contains(filepath.Base(path), "Refset_OWL"):
			releases = append(releases, path)
		case obo.Detect(path):
			err = obo.Axioms(ctx, path, opts, o)
		case bytes.Contains(head, []byte("Ontology(")), bytes.Contains(head, []byte("SubClassOf(")), bytes.Contains(head, []byte("Prefix(")):
			err = functional(ctx, path, opts, o)
		default:
			err = fmt.Errorf("%s: %w with definitions: those are RF2 with an OWL expression reference set, OBO, OBO graphs, and OWL in functional syntax (for other syntaxes: robot convert --format ofn)", path, loader.ErrFormat)
		}
		if err != nil {
			return err
		}
	}
	if releases == nil {
		return nil
	}
	return rf2.Axioms(ctx, releases, opts, o)
}

// maxFunctional bounds a document in functional syntax, which is read into memory.
const maxFunctional = 1 << 30

func functional(ctx context.Context, path string, opts loader.Options, o *classify.Ontology) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	in, err := loader.Open(r, path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var text strings.Builder
	if n, err := io.Copy(&text, io.LimitReader(in, maxFunctional+1)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	} else if n > maxFunctional {
		return fmt.Errorf("%s: %w: more than %d bytes of functional syntax", path, loader.ErrTooLarge, maxFunctional)
	}
	if err := owl.NewReader(o).Read(text.String()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
