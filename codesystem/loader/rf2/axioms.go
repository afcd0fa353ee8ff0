package rf2

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem/classify"
	"github.com/roget-health/roget/codesystem/classify/owl"
	"github.com/roget-health/roget/codesystem/loader"
)

// An axiomRow is the latest row of an axiom.
type axiomRow struct {
	text   string // "": inactive
	line   int
	origin loader.Origin
}

// Axioms reads the axioms of the OWL expression reference set of the packages at paths, of which
// the latest row counts as in Load. Its classes are named by their identifiers. Rows with a prefix
// or with the name of the ontology mean nothing here.
func Axioms(ctx context.Context, paths []string, opts loader.Options, o *classify.Ontology) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	e := &edition{reading: r}
	axioms := newLatest[uuid](false)
	var list []axiomRow
	files, err := e.axiomFiles(paths)
	if err != nil {
		return err
	}
	for i := range files {
		err := e.file(&files[i], func(e *edition, f *source, r *rows) {
			for r.next() {
				member := r.member(0)
				h, _ := e.head(f, r)
				row := axiomRow{line: r.line, origin: f.Origin}
				if text := r.text(6); h.active {
					row.text = string(text)
				}
				if r.err != nil {
					return
				}
				if slot, counts := axioms.place(member, h.time); counts {
					list = put(list, slot, row)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	reader := owl.NewReader(o)
	for i := range list {
		row := &list[i]
		if strings.HasPrefix(row.text, "Prefix(") || strings.HasPrefix(row.text, "Ontology(") {
			continue
		}
		if err := reader.Read(row.text); err != nil {
			if at, ok := errors.AsType[*owl.SyntaxError](err); ok {
				return fmt.Errorf("%s: line %d: %w: owlExpression, character %d: %s", row.origin, row.line, ErrDamaged, at.Column, at.Text)
			}
			return err
		}
	}
	return nil
}

// axiomFiles lists the files of the OWL expression reference set: of each package those of one type
// of release, the Snapshot first.
func (e *edition) axiomFiles(paths []string) ([]source, error) {
	var files []source
	for _, path := range paths {
		all, err := e.reading.Files(path)
		if err != nil {
			return nil, err
		}
		best := map[string]releaseType{}
		var found []source
		for _, f := range all {
			n, ok := parseName(strings.Replace(f.Base(), "Refset_OWL", "Refset_", 1))
			if !ok || !strings.Contains(f.Base(), "Refset_OWL") {
				continue
			}
			found = append(found, source{f, n})
			folder := packageOf(f.Name)
			if t, ok := best[folder]; !ok || n.release < t {
				best[folder] = n.release
			}
		}
		for _, f := range found {
			if f.release == best[packageOf(f.Name)] {
				e.reading.Expect(f.Size)
				files = append(files, f)
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w: there is no OWL expression reference set such as sct2_sRefset_OWLExpressionSnapshot_INT_20250101.txt", strings.Join(paths, ", "), loader.ErrNothing)
	}
	return files, nil
}
