package loinc

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// System is the canonical of the code system.
const System = "http://loinc.org"

// Detect reports whether a path is a release of LOINC or its table: a folder, a zip archive, or a
// file with the table.
func Detect(path string) bool {
	r := loader.Begin(context.Background(), loader.Options{})
	defer func() { _ = r.Close() }()
	files, err := r.Files(path)
	if err != nil {
		return false
	}
	tables := releaseOf(files)[table]
	if len(tables) == 0 {
		return false
	}
	rows, err := r.Rows(&tables[0], ',')
	if err != nil {
		return false
	}
	defer func() { _ = rows.Close() }()
	return rows.Column("LOINC_NUM") >= 0 && rows.Column("LONG_COMMON_NAME") >= 0
}

// Load reads a release into the sink: the code system first, then value sets and concept maps. The
// version is the one in the name of the path or of its folders (Loinc_2.78), else the latest
// version in which a term of the table was changed. KeepGoing has no effect: a release is read as
// a whole.
//
// Errors name file and line, and wrap loader.ErrFormat, loader.ErrNothing (no table),
// loader.ErrTooLarge, the errors of codesystem.Builder, or the error of the sink.
func Load(ctx context.Context, path string, opts loader.Options, sink loader.Sink) error {
	reading := loader.Begin(ctx, opts)
	defer func() { _ = reading.Close() }()
	files, err := reading.Files(path)
	if err != nil {
		return err
	}
	return read(reading, filepath.ToSlash(path), files, opts.Identity, sink)
}

// read reads the files of the release at path.
func read(reading *loader.Reading, path string, files []loader.File, identity loader.Identity, sink loader.Sink) error {
	l := &load{
		reading: reading, release: releaseOf(files), sink: sink, header: newHeader(),
		facts: newFacts(), parts: newParts(), lists: newAnswerLists(), groups: newGrouping(),
		panels: map[string]*panel{}, declared: map[string]bool{},
		kinds:    map[string]string{"MAP_TO": "code", "answers-for": "code", memberOf: "code", hasMember: "code"},
		identity: identity,
	}
	if len(l.release[table]) == 0 {
		return fmt.Errorf("%s: %w: Loinc.csv is missing", path, loader.ErrNothing)
	}
	for _, list := range l.release {
		for i := range list {
			reading.Expect(list[i].Size)
		}
	}
	l.header.Version = l.release.version(path)
	l.builder = codesystem.NewBuilder(l.header)
	return l.run()
}

// load is the state of one call of Load. Facts from accessory files are collected first, so that
// each term is added once, completely.
type load struct {
	reading *loader.Reading
	release release
	sink    loader.Sink
	header  *r4.CodeSystem
	builder *codesystem.Builder

	facts  facts
	parts  parts
	lists  answerLists
	groups grouping
	panels map[string]*panel // by code

	identity loader.Identity
	columns  map[string]bool   // columns of the table that are properties
	declared map[string]bool   // further properties
	kinds    map[string]string // types of properties, if not Coding
	latest   string            // the latest version in which a term was changed
}

// run reads the files in the order of their dependencies.
func (l *load) run() error {
	for _, step := range []struct {
		kind kind
		read func(*loader.Rows) error
	}{
		{partFile, l.readParts},
		{partLinks, l.readPartLinks},
		{playbook, l.readMoreLinks},
		{documents, l.readMoreLinks},
		{hierarchy, l.readHierarchy},
		{answerFile, l.readAnswers},
		{answerLinks, l.readAnswerLinks},
		{mapTo, l.readMapTo},
		{consumerNames, l.readConsumerNames},
		{variant, l.readVariant},
		{panelFile, l.readPanels},
		{groupFile, l.readGroups},
		{parentGroups, l.readParentGroups},
		{groupTerms, l.readGroupTerms},
		{table, l.readTable},
	} {
		for i := range l.release[step.kind] {
			if err := l.file(&l.release[step.kind][i], step.read); err != nil {
				return err
			}
		}
	}
	if err := l.build(); err != nil {
		return err
	}
	return l.writeDocuments()
}

// file reads one file.
func (l *load) file(f *loader.File, read func(*loader.Rows) error) error {
	rows, err := l.reading.Rows(f, ',')
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Err()
}

// columns returns the indexes of columns by name. A missing column is an error.
func columns(rows *loader.Rows, names ...string) ([]int, error) {
	found := make([]int, len(names))
	for i, name := range names {
		if found[i] = rows.Column(name); found[i] < 0 {
			return nil, fmt.Errorf("%s: %w: the column %s is missing", rows.Where(), loader.ErrFormat, name)
		}
	}
	return found, nil
}
