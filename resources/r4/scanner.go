package r4

import (
	"bytes"
	"fmt"
	"io"
)

const (
	firstBuffer   = 64 << 10
	maxKeptBuffer = 1 << 20 // Reset releases a larger buffer
	maxEmptyReads = 100
	notMarked     = -1
)

// A Scanner reads strict JSON from a stream or from memory, value by value, without building a
// tree. Input must be UTF-8, names must not repeat within an object, and nothing may exceed the
// Limits. The scanner tracks the expression of the current element.
//
// Objects and arrays are iterated with Object and Member, Array and Element. Each value must be
// consumed by one of Object, Array, Text, Number, Boolean, Null, Skip or Raw before the iteration
// continues:
//
//	if s.Object() {
//	for s.Member() {
//	switch string(s.Name()) {
//	case "url":
//	url = string(s.Text())
//	default:
//	s.Skip()
//	}
//	}
//	}
//	err := s.End()
//
// The first error is permanent: afterwards every method does nothing and returns zero values, so
// callers check Err once, at the end. Byte slices are valid until the next call. A Scanner must not
// be copied or used concurrently.
type Scanner struct {
	r            io.Reader
	own          []byte // the buffer of a stream, reused after Reset
	buf          []byte // buf[pos:end] is unread
	pos, end     int
	mark         int   // bytes from here on must stay in buf, or notMarked
	markMax      int   // maximum bytes between mark and end
	markOpen     int   // number of open objects and arrays at mark
	base         int64 // offset of buf[0] in the input
	line         int   // newlines before buf[0]
	lineAt       int64 // offset at which the line of buf[0] starts
	eof          bool
	counted      int // newlines in buf[:counted] are countedLines
	countedLines int

	lim    Limits
	err    error
	lost   bool // err comes from the syntax or the input, so the start of the next value is unknown
	root   string
	frames []frame
	names  []byte // names of the members of all open objects; those of an object begin at its frame
	ends   []int  // where in names each name ends
	str    []byte // the last string that had escapes
}

// Limits bound what the codec reads. A field that is zero or negative means the value of
// DefaultLimits.
type Limits struct {
	// MaxBytes is the maximum size of the input in bytes.
	MaxBytes int64
	// MaxDepth is the maximum nesting of objects and arrays.
	MaxDepth int
	// MaxToken is the maximum size, in bytes, of a string, number or name that is kept in memory.
	// Strings that are only checked and skipped may be longer.
	MaxToken int
}

// DefaultLimits returns the limits of single resources: 1 GiB, 8,192 levels of nesting, 16 MiB a
// string.
func DefaultLimits() Limits {
	return Limits{MaxBytes: 1 << 30, MaxDepth: 8192, MaxToken: 16 << 20}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.MaxBytes <= 0 {
		l.MaxBytes = d.MaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = d.MaxDepth
	}
	if l.MaxToken <= 0 {
		l.MaxToken = d.MaxToken
	}
	return l
}

// Reset makes the scanner read from r. Zero Limits mean the defaults.
func (s *Scanner) Reset(r io.Reader, lim Limits) {
	if len(s.own) < firstBuffer || len(s.own) > maxKeptBuffer {
		s.own = make([]byte, firstBuffer)
	}
	s.reset(lim)
	s.r, s.buf, s.end, s.eof = r, s.own, 0, false
}

// ResetBytes makes the scanner read from data.
func (s *Scanner) ResetBytes(data []byte, lim Limits) {
	s.reset(lim)
	s.r, s.buf, s.end, s.eof = nil, data, len(data), true
	if int64(len(data)) > s.lim.MaxBytes {
		s.fail(s.pos, "too-long", "the input is larger than %d bytes", s.lim.MaxBytes)
	}
}

func (s *Scanner) reset(lim Limits) {
	s.lim = lim.withDefaults()
	s.pos, s.mark, s.base, s.line, s.lineAt = 0, notMarked, 0, 0, 0
	s.err, s.lost, s.root = nil, false, ""
	s.counted, s.countedLines = 0, 0
	if s.frames == nil { // capacity for the usual depth, to avoid growing step by step
		s.frames, s.names, s.ends = make([]frame, 0, 12), make([]byte, 0, 192), make([]int, 0, 24)
	}
	s.frames, s.names, s.ends = s.frames[:0], s.names[:0], s.ends[:0]
}

// SetRoot sets the first name of expressions, such as "CodeSystem".
func (s *Scanner) SetRoot(name string) { s.root = name }

// Err returns the first error.
func (s *Scanner) Err() error { return s.err }

// Offset returns the number of input bytes consumed.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// Depth returns the number of open objects and arrays.
func (s *Scanner) Depth() int { return len(s.frames) }

var newline = []byte{'\n'}

// fill reads more input after buf[end]. Everything from mark, or from pos without a mark, is kept
// but may move, so positions must be kept relative to pos. It reports whether there is more.
func (s *Scanner) fill() bool {
	if s.err != nil || s.eof {
		return false
	}
	keep := s.pos
	if s.mark != notMarked && s.mark < keep {
		keep = s.mark
	}
	if keep > 0 {
		s.discard(keep)
	}
	if s.mark != notMarked && s.end-s.mark > s.markMax {
		s.fail(s.pos, "too-long", "the value is larger than %d bytes", s.markMax)
		return false
	}
	if s.end == len(s.buf) {
		larger := make([]byte, 2*len(s.buf))
		copy(larger, s.buf[:s.end])
		s.own, s.buf = larger, larger
	}
	for range maxEmptyReads {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if s.base+int64(s.end) > s.lim.MaxBytes {
			s.fail(s.pos, "too-long", "the input is larger than %d bytes", s.lim.MaxBytes)
			return false
		}
		if err == io.EOF {
			s.eof = true
			return n > 0
		}
		if err != nil {
			// The bytes before the error are ignored: they cannot be complete.
			line := s.line + 1 + bytes.Count(s.buf[:s.end], newline)
			s.lost = true
			s.err = fmt.Errorf("line %d: the input cannot be read after %d bytes: %w", line, s.base+int64(s.end), err)
			return false
		}
		if n > 0 {
			return true
		}
	}
	s.lost = true
	s.err = fmt.Errorf("the input cannot be read after %d bytes: %w", s.base+int64(s.end), io.ErrNoProgress)
	return false
}

// discard removes the first n bytes of the buffer.
func (s *Scanner) discard(n int) {
	s.counted, s.countedLines = 0, 0
	gone := s.buf[:n]
	if lines := bytes.Count(gone, newline); lines > 0 {
		s.line += lines
		s.lineAt = s.base + int64(bytes.LastIndexByte(gone, '\n')) + 1
	}
	copy(s.buf, s.buf[n:s.end])
	s.base += int64(n)
	s.end -= n
	s.pos -= n
	if s.mark != notMarked {
		s.mark -= n
	}
}

// More reports whether another value follows in an input of several values, such as NDJSON. It may
// be called between values, outside objects and arrays.
func (s *Scanner) More() bool { return s.space() }

// End checks that only white space follows, and returns the first error.
func (s *Scanner) End() error {
	if s.err == nil && s.space() {
		s.unexpected("the end of the input")
	}
	return s.err
}
