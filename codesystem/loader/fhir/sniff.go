package fhir

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/fhirxml"
)

// A format is what a stream holds.
type format uint8

const (
	formatJSON format = iota + 1
	formatTar
	formatGzip
	formatXML
)

// A source is a stream of JSON, XML or tar: decompressed, bounded, counted, and cancelled with the
// context.
type source struct {
	*loader.Stream
	format format
	in     *bufio.Reader
}

// open recognizes the format of r by its first bytes. The source must be closed.
func (l *reader) open(r io.Reader, origin Origin) (*source, error) {
	stream, err := l.reading.Stream(r, origin)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	src := &source{Stream: stream, in: bufio.NewReaderSize(stream, 4<<10)}
	if src.format, err = sniff(src.in); err == nil && src.format == formatGzip {
		err = fmt.Errorf("%w: it is gzip inside gzip", ErrFormat)
	}
	if err != nil {
		_ = stream.Close()
		return nil, err
	}
	return src, nil
}

// close closes the source. Its error does not matter.
func (s *source) close() { _ = s.Close() }

const sniffed = 1024

// sniff recognizes the format by the first bytes, which remain unread, except for a byte order
// mark. For an unknown format, the error describes what the bytes look like.
func sniff(r *bufio.Reader) (format, error) {
	head, err := r.Peek(sniffed)
	if err != nil && err != io.EOF {
		return 0, err
	}
	whole := len(head) < sniffed
	if bom := []byte("\xef\xbb\xbf"); bytes.HasPrefix(head, bom) {
		if _, err := r.Discard(len(bom)); err != nil {
			return 0, err
		}
		head = head[len(bom):]
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	looks := ""
	switch {
	case len(head) == 0:
		looks = "it is empty"
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return formatGzip, nil
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return formatTar, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		looks = "it is a zip archive, which must be unpacked first"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		looks = "it is UTF-16, and JSON must be UTF-8"
	case len(text) == 0 && whole:
		looks = "it is nothing but white space"
	case fhirxml.IsResource(head):
		return formatXML, nil
	case len(text) > 0 && text[0] == '<':
		looks = "it looks like XML, but does not have the namespace of FHIR"
	case len(text) > 0 && text[0] != '{' && text[0] != '[':
		looks = "it starts with " + show(text) + ", and a resource with '{'"
	default:
		return formatJSON, nil
	}
	return 0, fmt.Errorf("%w: %s", ErrFormat, looks)
}

// show returns the first bytes for a message.
func show(b []byte) string {
	b = b[:min(len(b), 8)]
	for _, c := range b {
		if c < 0x20 || c > 0x7e {
			return fmt.Sprintf("the bytes % x", b)
		}
	}
	return fmt.Sprintf("%q", b)
}
