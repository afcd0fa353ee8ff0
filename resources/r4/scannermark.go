package r4

import (
	"bytes"
	"errors"
)

// Raw consumes and checks the next value, and returns its JSON as in the input. A value of more
// than limit bytes is an error; 0 means no limit. The slice is valid until the next call.
func (s *Scanner) Raw(limit int) []byte {
	s.Mark(limit)
	s.Skip()
	raw := s.Marked()
	s.Unmark()
	return raw
}

// Mark makes the scanner keep the input from the next value on, so that Marked can return it and
// Rewind can go back to it. More than limit bytes from there on are an error; 0 means no limit.
// There is only one mark: another Mark, and Raw, replace it.
func (s *Scanner) Mark(limit int) {
	if s.Kind() == KindNone {
		return
	}
	if limit <= 0 {
		limit = int(^uint(0) >> 1)
	}
	s.mark, s.markMax, s.markOpen = s.pos, limit, len(s.frames)
}

// Unmark removes the mark.
func (s *Scanner) Unmark() { s.mark = notMarked }

// Marked returns the input from the mark to the current position. The slice is valid until the next
// call. It is nil after an error and without a mark.
func (s *Scanner) Marked() []byte {
	if s.mark == notMarked || s.err != nil {
		return nil
	}
	raw := s.buf[s.mark:s.pos]
	if len(raw) > s.markMax {
		s.fail(s.pos, "too-long", "the value is larger than %d bytes", s.markMax)
		return nil
	}
	return raw
}

// Rewind goes back to the start of the marked value and removes the mark. The scanner must be
// inside that value or right after it.
func (s *Scanner) Rewind() {
	if s.mark == notMarked || s.err != nil {
		return
	}
	s.pos = s.mark
	s.mark = notMarked
	s.counted, s.countedLines = 0, 0
	s.close(s.markOpen)
}

// Recover clears an error that is not about JSON syntax, such as an element of the wrong type, and
// skips the rest of the objects and arrays inside the outer depth ones. It reports whether it
// could: after malformed or truncated input the error stays.
func (s *Scanner) Recover(depth int) bool {
	if s.lost {
		return false
	}
	s.err = nil
	s.Unmark()
	for s.err == nil && len(s.frames) > depth {
		switch s.next() {
		case ',', '}', ']':
			// The value with the error has been consumed.
			if s.frames[len(s.frames)-1].array {
				if !s.Element() {
					continue
				}
			} else if !s.Member() {
				continue
			}
		}
		s.Skip()
	}
	if depth > 0 {
		switch s.next() {
		case ',', '}', ']':
		default:
			s.Skip()
		}
	}
	return s.err == nil
}

// RecoverLine clears any error except one of the reader, and moves to the start of the next line,
// leaving all objects and arrays, to continue in NDJSON. It reports whether there is a next line.
func (s *Scanner) RecoverLine() bool {
	var syntax *SyntaxError
	if s.err != nil && !errors.As(s.err, &syntax) {
		return false
	}
	if syntax != nil && syntax.Code == "too-long" && s.base+int64(s.end) > s.lim.MaxBytes {
		return false
	}
	s.err, s.lost = nil, false
	s.Unmark()
	s.close(0)
	for {
		if i := bytes.IndexByte(s.buf[s.pos:s.end], '\n'); i >= 0 {
			s.pos += i + 1
			return true
		}
		s.pos = s.end
		if !s.fill() {
			return false
		}
	}
}

// close leaves all objects and arrays inside the outer depth ones.
func (s *Scanner) close(depth int) {
	if len(s.frames) > depth {
		f := &s.frames[depth]
		s.names, s.ends = s.names[:f.names], s.ends[:f.ends]
		s.frames = s.frames[:depth]
	}
}
