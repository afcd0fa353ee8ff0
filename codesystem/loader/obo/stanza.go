package obo

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader"
)

const (
	// maxLine bounds a line, and maxStanza a stanza, in bytes.
	maxLine   = 16 << 20
	maxStanza = 64 << 20
)

// A stanza is the header of an OBO file, with an empty kind, or a part that begins with [Term] or
// another kind. It is valid until the next stanza is read.
type stanza struct {
	kind string
	line int
	tags []tag
}

// tag is a line of a stanza; the value is written without surrounding white space.
type tag struct {
	name, value string
	line        int
}

// first returns the value of the first tag with a name.
func (s *stanza) first(name string) string {
	for i := range s.tags {
		if s.tags[i].name == name {
			return s.tags[i].value
		}
	}
	return ""
}

// stanzas reads an OBO file stanza by stanza, the header first.
type stanzas struct {
	in      *bufio.Reader
	line    int
	long    []byte // a line that does not fit the buffer
	next    string // kind of the next stanza
	ended   bool
	current stanza
}

func newStanzas(in io.Reader) *stanzas {
	return &stanzas{in: bufio.NewReaderSize(in, 64<<10)}
}

// read returns the next stanza, io.EOF after the last.
func (r *stanzas) read() (*stanza, error) {
	if r.ended {
		return nil, io.EOF
	}
	s := &r.current
	s.kind, s.line, s.tags = r.next, max(r.line, 1), s.tags[:0]
	for size := 0; ; {
		text, err := r.logical()
		if errors.Is(err, io.EOF) {
			r.ended = true
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxStanza {
			return nil, fmt.Errorf("line %d: %w: a stanza of more than %d bytes", r.line, loader.ErrTooLarge, maxStanza)
		}
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text[0] == '!':
		case text[0] == '[':
			kind, _ := structured(text)
			if r.next = strings.TrimSuffix(kind[1:], "]"); len(r.next) != len(kind)-2 {
				return nil, fmt.Errorf("line %d: %w: expected the beginning of a stanza such as [Term], found %.60q", r.line, loader.ErrFormat, text)
			}
			return s, nil
		default:
			name, value, ok := strings.Cut(text, ":")
			if !ok || name == "" {
				return nil, fmt.Errorf("line %d: %w: %.60q is not a tag and value", r.line, loader.ErrFormat, text)
			}
			s.tags = append(s.tags, tag{strings.TrimSpace(name), strings.TrimSpace(value), r.line})
		}
	}
}

// logical returns a line together with its continuations: a backslash at the end continues it.
func (r *stanzas) logical() (string, error) {
	text, err := r.physical()
	if err != nil || !continues(text) {
		return text, err
	}
	var b strings.Builder
	for continues(text) {
		b.WriteString(text[:len(text)-1])
		if b.Len() > maxLine {
			return "", fmt.Errorf("line %d: %w: a line of more than %d bytes", r.line, loader.ErrTooLarge, maxLine)
		}
		if text, err = r.physical(); errors.Is(err, io.EOF) {
			return b.String(), nil
		} else if err != nil {
			return "", err
		}
	}
	b.WriteString(text)
	return b.String(), nil
}

// continues reports whether a text ends with an odd number of backslashes.
func continues(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// physical returns a line without its end.
func (r *stanzas) physical() (string, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return r.checked(part)
		}
		r.long = append(r.long, part...)
		if len(r.long) > maxLine {
			return "", fmt.Errorf("line %d: %w: a line of more than %d bytes", r.line+1, loader.ErrTooLarge, maxLine)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(r.long) == 0:
			return "", io.EOF
		case err == nil || errors.Is(err, io.EOF):
			return r.checked(r.long)
		default:
			return "", fmt.Errorf("line %d: %w", r.line+1, err)
		}
	}
}

func (r *stanzas) checked(line []byte) (string, error) {
	if r.line++; r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimRight(line, "\r\n")
	if !utf8.Valid(line) {
		return "", fmt.Errorf("line %d: %w: it is not UTF-8; convert the file first, for example with iconv", r.line, loader.ErrFormat)
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return "", fmt.Errorf("line %d: %w: it contains a NUL character", r.line, loader.ErrFormat)
	}
	return string(line), nil
}
