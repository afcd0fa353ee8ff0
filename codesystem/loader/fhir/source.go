package fhir

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// A source is a stream of JSON or tar: decompressed, bounded, counted, and stopped by
// the context.
type source struct {
	l      *loader
	origin Origin
	format format
	stored atomic.Int64 // bytes read as stored
	out    int64        // bytes given
	told   int64        // out at the last report of progress
	packed bool         // it is gzip
	raw    io.Reader
	in     *bufio.Reader // what it gives, within the limits
	close  func()
}

// open finds out what r holds by its first bytes. The source must be closed.
func (l *loader) open(r io.Reader, origin Origin) (*source, error) {
	src := &source{l: l, origin: origin, close: func() {}}
	in := bufio.NewReaderSize(countingReader{r, &src.stored}, 64<<10)
	var err error
	if src.format, err = sniff(in); err != nil {
		return nil, err
	}
	src.raw = in
	if src.format == formatGzip {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%w: damaged gzip: %w", ErrFormat, err)
		}
		ahead := newReadAhead(z)
		src.raw, src.close, src.packed = ahead, ahead.stop, true
	}
	src.in = bufio.NewReaderSize(guard{src}, 4<<10)
	if !src.packed {
		return src, nil
	}
	src.format, err = sniff(src.in)
	if err == nil && src.format == formatGzip {
		err = fmt.Errorf("%w: gzip inside gzip", ErrFormat)
	}
	if err != nil {
		src.close()
		return nil, err
	}
	return src, nil
}

// countingReader counts the bytes as stored. It runs in the goroutine that decompresses.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

const (
	// ratioFrom is how much a gzip stream may decompress to at any ratio.
	ratioFrom = 64 << 20
	// reportEvery is how many bytes lie between two reports of progress.
	reportEvery = 1 << 20
)

// guard reads from a source within the limits.
type guard struct{ s *source }

// Read fails beyond the limits and when the context is done.
func (g guard) Read(p []byte) (int, error) {
	s := g.s
	if err := context.Cause(s.l.ctx); err != nil {
		return 0, err
	}
	n, err := s.raw.Read(p)
	s.out += int64(n)
	stored := s.stored.Load()
	switch {
	case s.out > s.l.limits.MaxBytes:
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, s.l.limits.MaxBytes)
	case s.packed && s.out > ratioFrom && s.out/max(stored, 1) > s.l.limits.MaxRatio:
		return 0, fmt.Errorf("%w: gzip decompresses to more than %d times its size", ErrTooLarge, s.l.limits.MaxRatio)
	case err != nil && !errors.Is(err, io.EOF) && s.packed:
		err = gzipError(err)
	}
	if s.out-s.told >= reportEvery {
		s.told = s.out
		s.l.report(s.origin, stored)
	}
	return n, err
}

// gzipError words the errors of gzip for people.
func gzipError(err error) error {
	what := "reading gzip"
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "the gzip stream is truncated"
	case errors.Is(err, gzip.ErrChecksum):
		what = "the gzip stream is damaged"
	case errors.Is(err, gzip.ErrHeader):
		what = "the gzip stream is followed by something else"
	}
	return fmt.Errorf("%s: %w", what, err)
}
