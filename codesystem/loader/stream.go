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

// A Stream reads one file: decompressed when it is gzip, bounded by the limits, counted
// for the progress, and stopped by the context. It must be closed.
type Stream struct {
	reading *Reading
	origin  Origin
	size    int64        // bytes to read as stored, 0 when it is not known
	stored  atomic.Int64 // bytes read as stored
	out     int64        // bytes given
	told    int64        // out at the last report of progress
	packed  bool         // it is gzip
	raw     io.Reader
	close   []func()
}

const (
	// ratioFrom is how much a compressed stream may decompress to at any ratio.
	ratioFrom = 64 << 20
	// reportEvery is how many bytes lie between two reports of progress.
	reportEvery = 1 << 20
)

// Stream reads in, which it does not close.
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
			return nil, fmt.Errorf("damaged gzip: %w", err)
		}
		ahead := newReadAhead(z)
		s.raw, s.packed = ahead, true
		s.close = append(s.close, ahead.stop)
	}
	return s, nil
}

// Origin is the place of the stream.
func (s *Stream) Origin() Origin { return s.origin }

// Close releases what the stream holds, and reports the progress: what was not read counts
// as read.
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

// counting counts the bytes as stored. It runs in the goroutine that reads them.
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

// Read fails beyond the limits and when the context is done.
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
	if s.out-s.told >= reportEvery {
		s.told = s.out
		r.report(s.origin.Path)
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

// Given is how many bytes were given so far, decompressed.
func (s *Stream) Given() int64 { return s.out }
