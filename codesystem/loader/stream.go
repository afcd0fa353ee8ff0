package loader

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// A Stream reads one file: it decompresses gzip, enforces the limits, counts bytes for the
// progress, and stops when the context is done. It must be closed.
type Stream struct {
	reading  *Reading
	origin   Origin
	size     int64        // bytes to read as stored, 0 if unknown
	stored   atomic.Int64 // bytes read as stored
	out      int64        // bytes returned to the caller
	reported int64        // out at the last report of progress
	packed   bool         // whether the file is gzip
	raw      io.Reader
	close    []func()
}

const (
	// ratioFrom is the decompressed size up to which any ratio is allowed.
	ratioFrom = 64 << 20
	// reportEvery is the number of bytes between two reports of progress.
	reportEvery = 1 << 20
)

// Stream returns a Stream over in, which it does not close.
func (r *Reading) Stream(in io.Reader, origin Origin) (*Stream, error) {
	s := &Stream{reading: r, origin: origin}
	if origin.Entry == "" {
		s.size = origin.Size
	}
	buffered := bufio.NewReaderSize(counting{in, s}, 64<<10)
	s.raw = buffered
	if head, _ := buffered.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("the gzip file is damaged: %w", err)
		}
		ahead := newReadAhead(z)
		s.raw, s.packed = ahead, true
		s.close = append(s.close, ahead.stop)
	}
	return s, nil
}

// Origin returns the place of the stream.
func (s *Stream) Origin() Origin { return s.origin }

// Close releases the resources of the stream and reports the progress. Bytes that were not read
// count as read.
func (s *Stream) Close() error {
	for _, f := range s.close {
		f()
	}
	s.close = nil
	if rest := s.size - s.stored.Swap(s.size); rest > 0 {
		s.reading.read.Add(rest)
	}
	s.reading.report(s.origin.Path)
	return nil
}

// counting counts the stored bytes, in the goroutine that reads them.
type counting struct {
	r io.Reader
	s *Stream
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.s.stored.Add(int64(n))
	c.s.reading.read.Add(int64(n))
	return n, err
}

// Read returns an error beyond the limits and when the context is done.
func (s *Stream) Read(p []byte) (int, error) {
	r := s.reading
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	n, err := s.raw.Read(p)
	s.out += int64(n)
	switch {
	case s.out > r.limits.MaxBytes:
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, r.limits.MaxBytes)
	case s.packed && s.out > ratioFrom && s.out/max(s.stored.Load(), 1) > r.limits.MaxRatio:
		return 0, fmt.Errorf("%w: gzip decompresses to more than %d times its size", ErrTooLarge, r.limits.MaxRatio)
	case err != nil && !errors.Is(err, io.EOF) && s.packed:
		err = gzipError(err)
	}
	if s.out-s.reported >= reportEvery {
		s.reported = s.out
		r.report(s.origin.Path)
	}
	return n, err
}

// gzipError replaces the errors of package gzip by ones for people.
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

// Decompressed returns the number of bytes returned so far, after decompression.
func (s *Stream) Decompressed() int64 { return s.out }
