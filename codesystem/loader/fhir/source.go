package fhir

import (
	"bufio"
	"fmt"
	"io"

	"github.com/roget-health/roget/codesystem/loader"
)

// A source is a stream of JSON or tar: decompressed, bounded, counted, and cancelled with the
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
