package rf2

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/roget-health/roget/codesystem/loader"
)

// An edition is the state of one call of Load.
type edition struct {
	reading *loader.Reading
	stop    context.CancelCauseFunc // cancels the reading of all files

	asOf             uint32 // 0: no limit
	module, language sctid  // 0: to be determined
	lax, laxModules  bool
	unpublished      bool
	unique           bool // every component occurs once
	identity         loader.Identity

	dependencies  dependencyStore
	concepts      conceptStore
	descriptions  descriptionStore
	acceptability acceptabilityStore
	relationships relationshipStore
	refsets       refsetStore
}

// A head is the first fields of the rows of all files, except the identifier.
type head struct {
	time   uint32 // effectiveTime
	active bool
	module sctid
}

// read reads the files. Module dependencies and concepts come first, since everything else refers
// to them. Then four goroutines read files that do not depend on each other.
func (e *edition) read(files []source) error {
	e.concepts.init()
	e.dependencies.init()
	e.descriptions.init(e.unique)
	e.acceptability.init(e.unique)
	e.relationships.init(e.unique)
	e.refsets.init(e.unique)
	err := e.each(files, e.dependencies.read, moduleDependencies)
	if err == nil {
		err = e.each(files, e.concepts.read, concepts)
	}
	if err == nil {
		err = e.together(
			func() error { return e.each(files, e.descriptions.read, descriptions) },
			func() error { return e.each(files, e.acceptability.read, languageRefset) },
			func() error { return e.each(files, e.relationships.read, relationships, concreteValues) },
			func() error { return e.each(files, e.refsets.read, refset, moduleDependencies) },
		)
	}
	unmet := e.unmet()
	switch {
	case err != nil && unmet != nil && errors.Is(err, ErrUnknownConcept):
		return fmt.Errorf("%w (first needed: %w)", unmet, err)
	case err != nil:
		return err
	case len(e.concepts.rows) == 0 && e.asOf != 0:
		return fmt.Errorf("%w: nothing is in effect as of %d", loader.ErrNothing, e.asOf)
	case len(e.concepts.rows) == 0:
		return fmt.Errorf("%w: the files of concepts are empty", loader.ErrNothing)
	case e.laxModules:
		return nil
	}
	return unmet
}

// together runs functions in parallel. The first error stops all of them.
func (e *edition) together(work ...func() error) error {
	var group errgroup.Group
	for _, f := range work {
		group.Go(func() error {
			err := f()
			if err != nil {
				e.stop(err)
			}
			return err
		})
	}
	return group.Wait()
}

// each reads the files of some kinds, one after the other.
func (e *edition) each(files []source, read func(*edition, *source, *rows), kinds ...kind) error {
	for i := range files {
		for _, k := range kinds {
			if files[i].kind != k {
				continue
			}
			if err := e.file(&files[i], read); err != nil {
				return err
			}
		}
	}
	return nil
}

// file reads one file.
func (e *edition) file(f *source, read func(*edition, *source, *rows)) error {
	in, err := e.reading.Open(&f.File)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	want, further := f.columns()
	r := openRows(in, f.Origin, f.Size, want, further)
	if r.err == nil {
		read(e, f, r)
	}
	return r.err
}

// columns returns the names of the known columns of a file, and the number of further ones.
func (n *fileName) columns() (known []string, further int) {
	switch n.kind {
	case concepts:
		return []string{"id", "effectiveTime", "active", "moduleId", "definitionStatusId"}, 0
	case descriptions:
		return []string{
			"id", "effectiveTime", "active", "moduleId", "conceptId",
			"languageCode", "typeId", "term", "caseSignificanceId",
		}, 0
	case relationships:
		return []string{
			"id", "effectiveTime", "active", "moduleId", "sourceId",
			"destinationId", "relationshipGroup", "typeId", "characteristicTypeId", "modifierId",
		}, 0
	case concreteValues:
		return []string{
			"id", "effectiveTime", "active", "moduleId", "sourceId",
			"value", "relationshipGroup", "typeId", "characteristicTypeId", "modifierId",
		}, 0
	}
	known = []string{"id", "effectiveTime", "active", "moduleId", "refsetId", "referencedComponentId"}
	switch n.kind {
	case languageRefset:
		return append(known, "acceptabilityId"), 0
	case moduleDependencies:
		return append(known, "sourceEffectiveTime", "targetEffectiveTime"), 0
	}
	return known, len(n.letters)
}

// head reads the first fields of a row, and reports whether the row is in effect: not after the
// date asked for.
func (e *edition) head(f *source, r *rows) (h head, inEffect bool) {
	h = head{time: r.date(1), active: r.flag(2), module: r.id(3)}
	if e.asOf == 0 || h.time <= e.asOf {
		return h, r.err == nil
	}
	if f.release == snapshot {
		r.fail("effectiveTime is %d, after %d: a Snapshot only has the latest state; load the Full files for an earlier date", h.time, e.asOf)
	}
	return h, false
}
