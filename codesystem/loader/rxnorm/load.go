package rxnorm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
)

// System is the canonical of the code system.
const System = "http://www.nlm.nih.gov/research/umls/rxnorm"

// Indexes of the fields in the files, and their numbers.
const (
	consoCUI, consoLAT, consoSAB, consoTTY, consoSTR, consoSuppress, consoFields = 0, 1, 11, 12, 14, 16, 18
	relCUI1, relREL, relCUI2, relRELA, relSAB, relSuppress, relFields            = 0, 3, 4, 7, 10, 14, 16
	satCUI, satATN, satSAB, satATV, satSuppress, satFields                       = 0, 8, 9, 10, 11, 13
	styCUI, styTUI, styName, styFields                                           = 0, 1, 3, 6
	oldSTR, oldCUI, oldSAB, oldTTY, oldMerged, oldFields                         = 2, 12, 13, 14, 15, 16
	cuiOld, cuiNew, cuiFields                                                    = 0, 4, 5
	sabRSAB, sabSVER, sabFields                                                  = 3, 6, 25
)

// own is the source for RxNorm itself.
const own = "RXNORM"

// Detect reports whether a path is a release of RxNorm: a folder or zip archive with
// RXNCONSO.RRF, or that file.
func Detect(path string) bool {
	r := loader.Begin(context.Background(), loader.Options{})
	defer func() { _ = r.Close() }()
	files, err := r.Files(path)
	if err != nil {
		return false
	}
	f := releaseOf(path, files).files["RXNCONSO.RRF"]
	if f == nil {
		return false
	}
	s, err := r.Open(f)
	if err != nil {
		return false
	}
	defer func() { _ = s.Close() }()
	head := make([]byte, 4<<10)
	n, _ := s.Read(head)
	line, _, whole := bytes.Cut(head[:n], []byte("\n"))
	return whole && bytes.Count(line, []byte("|")) == consoFields
}

// Load reads a release into the sink. The version is the day of the release ("09072026") from the
// names of its files or from RXNSAB. KeepGoing has no effect: a release is read as a whole.
//
// Errors name file and line, and wrap loader.ErrFormat, loader.ErrNothing (no RXNCONSO.RRF),
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
	l := &load{reading: reading, release: releaseOf(path, files), number: map[string]uint32{}, words: map[string]string{}, retired: map[string]*retired{}}
	conso := l.release.files["RXNCONSO.RRF"]
	if conso == nil {
		return fmt.Errorf("%s: %w: RXNCONSO.RRF is missing", path, loader.ErrNothing)
	}
	steps := l.steps()
	for _, s := range steps {
		if f := l.release.files[s.name]; f != nil {
			reading.Expect(f.Size)
		}
	}
	for _, s := range steps {
		if f := l.release.files[s.name]; f != nil {
			if err := l.file(f, s.fields, s.row); err != nil {
				return err
			}
		}
	}
	header := newHeader()
	header.Version = cmp.Or(l.release.version, l.version)
	header.Date = dateOf(header.Version)
	identity.Apply(header)
	l.declare(header)
	l.builder = codesystem.NewBuilder(header)
	if err := l.add(); err != nil {
		return err
	}
	if l.builder.Len() == 0 {
		return fmt.Errorf("%s: %w: it has no names from the source %s", conso.Origin, loader.ErrNothing, own)
	}
	return reading.Deliver(l.builder, conso.Origin, sink)
}

// load is the state of one call of Load. The content of the files is collected by concept first.
type load struct {
	reading *loader.Reading
	release release
	builder *codesystem.Builder
	version string // from RXNSAB

	number   map[string]uint32 // of an RXCUI
	concepts []concept
	atoms    loader.Chains[atom] // of RxNorm
	facts    loader.Chains[fact]
	links    loader.Chains[relation]
	words    map[string]string // frequent texts, stored once
	retired  map[string]*retired
	old      []string // RXCUIs of retired, in the order in which they were found
}

// concept is an RXCUI.
type concept struct {
	cui, where string
	own        bool // whether it has an atom of RxNorm
}

// atom is a name of a concept.
type atom struct {
	tty, text, suppress string
}

// fact is a property of a concept. The property determines the kind of its value.
type fact struct {
	property, value, display string
}

// relation is a relationship to another concept, given by its number.
type relation struct {
	property string
	other    uint32
}

// retired is an RXCUI that is no longer in use.
type retired struct {
	names  []atom
	merged []string
	where  string
}

// fileReader describes how a file is read.
type fileReader struct {
	name   string
	fields int
	row    func(*rows) error
}

// steps lists the files in the order of their dependencies.
func (l *load) steps() []fileReader {
	return []fileReader{
		{"RXNCONSO.RRF", consoFields, l.readAtom},
		{"RXNSTY.RRF", styFields, l.readType},
		{"RXNSAT.RRF", satFields, l.readAttribute},
		{"RXNREL.RRF", relFields, l.readRelationship},
		{"RXNATOMARCHIVE.RRF", oldFields, l.readArchived},
		{"RXNCUI.RRF", cuiFields, l.readSuccessor},
		{"RXNSAB.RRF", sabFields, l.readSource},
	}
}

// word returns a text that does not share the memory of its line.
func (l *load) word(text string) string {
	if w, ok := l.words[text]; ok {
		return w
	}
	text = strings.Clone(text)
	l.words[text] = text
	return text
}

// say records a property of a concept, once.
func (l *load) say(n uint32, f fact) {
	for had := range l.facts.Of(n) {
		if had.property == f.property && had.value == f.value {
			return
		}
	}
	l.facts.Add(n, fact{l.word(f.property), l.word(f.value), l.word(f.display)})
}
