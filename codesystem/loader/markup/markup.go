// Package markup walks through XML as a stream, element by element, for readers of
// classifications. It bounds the depth of documents and the size of texts. Entities other than
// those of XML itself are not read, nor is anything outside of the document.
package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

const (
	// MaxDepth is how deeply elements may nest.
	MaxDepth = 200
	// MaxToken bounds one text, tag or comment, in bytes.
	MaxToken = 16 << 20
)

// A Reader walks through a document. It must not be used after an error.
type Reader struct {
	in    *gate
	xml   *xml.Decoder
	depth int
}

// NewReader returns a Reader for a document in UTF-8, ISO 8859-1, Windows-1252 or ASCII.
func NewReader(in io.Reader) *Reader {
	r := &Reader{in: &gate{in: in, limit: MaxToken}}
	r.xml = xml.NewDecoder(r.in)
	r.xml.CharsetReader = charset
	return r
}

// charset returns a reader that converts to UTF-8.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii":
		return in, nil
	case "iso-8859-1", "latin1", "latin-1":
		return newLatin(in, nil), nil
	case "windows-1252", "cp1252":
		return newLatin(in, &windows1252), nil
	}
	return nil, fmt.Errorf("%w: the encoding %.40q is not supported; convert the file to UTF-8 first", loader.ErrFormat, label)
}

// gate returns the bytes of a document until a token is too long.
type gate struct {
	in    io.Reader
	limit int // of bytes between two tokens
	read  int // since the last token
}

// Read returns an error when a token is too long.
func (g *gate) Read(p []byte) (int, error) {
	if g.read > g.limit {
		return 0, fmt.Errorf("%w: a text of more than %d bytes", loader.ErrTooLarge, g.limit)
	}
	n, err := g.in.Read(p)
	g.read += n
	return n, err
}

// Line returns the current line number, from 1.
func (r *Reader) Line() int {
	line, _ := r.xml.InputPos()
	return line
}

// Fail returns an error that names the line and wraps loader.ErrFormat.
func (r *Reader) Fail(format string, args ...any) error {
	return fmt.Errorf("line %d: %w: %s", r.Line(), loader.ErrFormat, fmt.Sprintf(format, args...))
}

// next returns the next start tag, end tag or text.
func (r *Reader) next() (xml.Token, error) {
	for {
		r.in.read = 0
		token, err := r.xml.Token()
		if err != nil {
			return nil, r.explain(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if r.depth++; r.depth > MaxDepth {
				return nil, fmt.Errorf("line %d: %w: elements nest deeper than %d", r.Line(), loader.ErrTooLarge, MaxDepth)
			}
			return t, nil
		case xml.EndElement:
			r.depth--
			return t, nil
		case xml.CharData:
			return t, nil
		case xml.Directive:
			if bytes.Contains(t, []byte("<!ENTITY")) {
				return nil, r.Fail("it declares entities, which are not supported")
			}
		}
	}
}

// explain adds the place to an error of a document.
func (r *Reader) explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w: %s", syntax.Line, loader.ErrFormat, syntax.Msg)
	case errors.Is(err, io.EOF):
		return r.Fail("the document ends too early")
	}
	return fmt.Errorf("line %d: %w", r.Line(), err)
}

// Root moves to the root element, which must have one of the names.
func (r *Reader) Root(names ...string) (xml.StartElement, error) {
	for {
		token, err := r.next()
		if err != nil {
			return xml.StartElement{}, err
		}
		if start, ok := token.(xml.StartElement); ok {
			for _, name := range names {
				if start.Name.Local == name {
					return start, nil
				}
			}
			return start, r.Fail("the root element is %.60q, not %s", start.Name.Local, strings.Join(names, " or "))
		}
	}
}

// Children calls f for each child of the element whose start was read, until the end of the
// element. f must consume the child with Children, Text or Skip. Text between the children is
// skipped.
func (r *Reader) Children(f func(child xml.StartElement) error) error {
	for {
		token, err := r.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		}
	}
}

// Skip skips the rest of an element.
func (r *Reader) Skip() error {
	return r.Children(func(xml.StartElement) error { return r.Skip() })
}

// Text returns all text in the rest of an element, including nested elements, with each run of
// white space as one blank. Text in elements with one of the names is separated from the text
// around it.
func (r *Reader) Text(apart ...string) (string, error) {
	var b strings.Builder
	for open := 1; open > 0; {
		token, err := r.next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			open++
			if slices.Contains(apart, t.Name.Local) {
				b.WriteByte(' ')
			}
		case xml.EndElement:
			open--
			if slices.Contains(apart, t.Name.Local) {
				b.WriteByte(' ')
			}
		case xml.CharData:
			if b.Len()+len(t) > r.in.limit {
				return "", fmt.Errorf("line %d: %w: a text of more than %d bytes", r.Line(), loader.ErrTooLarge, r.in.limit)
			}
			b.Write(t)
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), nil
}

// Attribute returns the value of an attribute, or "" when the element does not have it.
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
