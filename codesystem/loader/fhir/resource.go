package fhir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// A resource has been read and not yet delivered: a CodeSystem in its builder, or a
// document.
type resource struct {
	builder *codesystem.Builder
	kind    string
	header  *r4.Header
	body    []byte
}

// stream reads everything in r. Lenient, as in folders and packages, it skips JSON that is not a
// resource.
func (l *reader) stream(r io.Reader, origin Origin, lenient bool) {
	src, err := l.open(r, origin)
	if err != nil {
		l.fail(origin, err)
		return
	}
	defer src.close()
	switch src.format {
	case formatTar:
		l.archive(src, origin)
	case formatXML:
		l.xml(src.in, origin)
	default:
		l.values(src.in, origin, lenient)
	}
}

// values reads the JSON values of a stream; several values are one per line.
func (l *reader) values(r io.Reader, origin Origin, lenient bool) {
	s := l.scanner
	s.Reset(r, r4.Limits{MaxBytes: math.MaxInt64, MaxDepth: 2*l.limits.MaxNesting + 32})
	for n := 0; !l.stopped && s.More(); n++ {
		at := origin
		if n > 0 {
			at.Entry = inside(origin.Entry, fmt.Sprintf("line %d", s.Line()))
		}
		s.SetRoot("")
		if n == 0 && lenient && s.Kind() != r4.KindObject {
			return
		}
		first := s.Line()
		res := l.resource(at, lenient)
		// The input after the value is inspected before the value is delivered: it may be corrupt,
		// or something that must not follow.
		last := s.Line()
		if s.More() {
			if s.Line() == last {
				s.Fail("structure", "something else follows the resource on its line")
			}
			at.Entry = inside(origin.Entry, fmt.Sprintf("line %d", first))
		}
		if err := s.Err(); err != nil {
			if lenient && n == 0 && l.kind == "" && exceeds(err) {
				return // other JSON, which may be as large and as deep as it likes
			}
			if !l.fail(origin, err) || !l.nextValue() {
				return
			}
			continue
		}
		l.deliver(res, at)
	}
	if err := s.Err(); err != nil && !l.stopped {
		l.fail(origin, err)
	}
}

// exceeds reports whether err is an exceeded limit of the scanner.
func exceeds(err error) bool {
	var syntax *r4.SyntaxError
	return errors.As(err, &syntax) && syntax.Code == "too-long"
}

// nextValue moves on after a faulty value, and reports whether that is possible.
func (l *reader) nextValue() bool {
	return l.scanner.Depth() > 0 && l.scanner.Recover(0) || l.scanner.RecoverLine()
}

func inside(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + ": " + inner
}

// resource reads the next resource of the scanner. It returns nil for a resource of another type,
// and after an error, which the scanner keeps.
//
// The resourceType should come first but need not: elements before it are stored and read again.
// An element concept or entry is assumed to belong to a CodeSystem or Bundle, so the resourceType
// may also follow after these.
func (l *reader) resource(origin Origin, lenient bool) *resource {
	s := l.scanner
	depth := s.Depth()
	start := position{line: s.Line()}
	s.Mark(l.limits.MaxDocument)
	start.offset = s.Offset()
	kind := ""
	if s.Object() {
		for kind == "" && s.Member() {
			switch string(s.Name()) {
			case "resourceType":
				kind = string(s.Text())
				if kind == "" {
					s.Fail("value", "the resourceType is empty")
				}
			case "concept":
				if s.Kind() == r4.KindArray {
					kind = "CodeSystem"
				} else {
					s.Skip()
				}
			case "entry":
				if s.Kind() == r4.KindArray {
					kind = "Bundle"
				} else {
					s.Skip()
				}
			default:
				s.Skip()
			}
		}
	}
	l.kind = kind
	if s.Err() != nil {
		return nil
	}
	if depth == 0 && kind != "" {
		s.SetRoot(kind)
	}
	switch kind {
	case "":
		s.Unmark()
		if !lenient {
			s.Fail("required", "it is not a resource: the element resourceType is missing")
		}
	case "CodeSystem":
		s.Rewind()
		return l.codeSystem(lenient)
	case "Bundle":
		s.Rewind()
		l.bundle(origin)
	case "ValueSet", "ConceptMap":
		for s.Member() {
			s.Skip()
		}
		body := bytes.Clone(s.Marked())
		s.Unmark()
		if s.Err() != nil {
			return nil
		}
		body = asR4(body)
		header, err := decodeHeader(kind, body)
		if err != nil {
			s.FailWith("structure", start.shift(err))
			return nil
		}
		return &resource{kind: kind, header: header, body: body}
	default:
		s.Unmark()
		for s.Member() {
			s.Skip()
		}
		if s.Err() == nil {
			l.reading.Count(0, 0, 1)
		}
	}
	return nil
}

// decodeHeader checks that a whole document can be decoded and returns its header.
func decodeHeader(kind string, body []byte) (*r4.Header, error) {
	if kind == "ValueSet" {
		v, err := r4.DecodeValueSet(body)
		if err != nil {
			return nil, err
		}
		return &v.Header, nil
	}
	m, err := r4.DecodeConceptMap(body)
	if err != nil {
		return nil, err
	}
	return &m.Header, nil
}

// A position is where a document starts in a file.
type position struct {
	line   int
	offset int64
}

// shift converts the place of an error in a document to its place in the file. The column is
// unchanged if it is in the first line of the document.
func (p position) shift(err error) error {
	var syntax *r4.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	moved := *syntax
	moved.Line += p.line - 1
	moved.Offset += p.offset
	return &moved
}

// bundle reads a Bundle and hands on the resources of its entries one by one.
func (l *reader) bundle(origin Origin) {
	s := l.scanner
	s.Object()
	for s.Member() {
		if string(s.Name()) != "entry" {
			s.Skip()
			continue
		}
		if !s.Array() {
			return
		}
		for s.Element() {
			at := origin
			if l.stopped {
				return
			}
			if !s.Object() {
				return
			}
			at.Entry = inside(origin.Entry, s.Expression())
			for s.Member() {
				if string(s.Name()) == "resource" {
					l.entry(at)
				} else {
					s.Skip()
				}
			}
		}
	}
}

// entry reads the resource of an entry. When the loader keeps going, an error that leaves the JSON
// readable only affects its entry.
func (l *reader) entry(origin Origin) {
	s := l.scanner
	depth := s.Depth()
	res := l.resource(origin, false)
	err := s.Err()
	if err == nil {
		l.deliver(res, origin)
		return
	}
	if l.opts.KeepGoing && s.Recover(depth) {
		l.fail(Origin{Path: origin.Path, Entry: origin.Entry}, err)
	}
}

// deliver builds the index of a CodeSystem and hands the resource to the sink.
func (l *reader) deliver(res *resource, origin Origin) {
	if res == nil || l.stopped {
		return
	}
	var err error
	if res.builder != nil {
		index, buildErr := res.builder.Build(l.ctx)
		if buildErr != nil {
			l.fail(origin, buildErr)
			return
		}
		err = l.sink.CodeSystem(index, origin)
	} else {
		err = l.sink.Document(res.kind, res.header, res.body, origin)
	}
	if err != nil {
		l.stop(origin, err)
		return
	}
	l.reading.Count(0, 1, 0)
}
