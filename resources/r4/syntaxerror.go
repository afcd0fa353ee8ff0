package r4

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A SyntaxError is a place where a document is not valid JSON or not a valid FHIR resource. All
// reading functions of this package return errors of this type, except for errors of the underlying
// io.Reader, which they wrap.
type SyntaxError struct {
	// Line and Column count from 1, Column in bytes. Offset counts bytes from 0.
	Line, Column int
	Offset       int64
	// Expression is the FHIRPath of the element, as in "ValueSet.compose.include[2].system". It is
	// empty if the error is outside any element.
	Expression string
	// Msg is the message without the place.
	Msg string
	// Code is a code of http://hl7.org/fhir/issue-type: structure for malformed or truncated JSON
	// and wrong types, value for invalid content, required for missing elements, too-long for
	// exceeded limits, or the code given by a caller of the Scanner.
	Code string
	// Err is the error that a caller of the Scanner reported, or nil.
	Err error
}

// Unwrap returns Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Error returns the place and the message: "line 3, column 14: CodeSystem.url: expected …".
func (e *SyntaxError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", e.Line, e.Column)
	}
	if e.Expression != "" {
		b.WriteString(e.Expression)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	return b.String()
}

// Line returns the number of the current line, counted from 1.
func (s *Scanner) Line() int {
	if s.pos > s.counted {
		s.countedLines += bytes.Count(s.buf[s.counted:s.pos], newline)
		s.counted = s.pos
	}
	return s.line + 1 + s.countedLines
}

// Fail records an error of the caller at the current position, unless there is one already.
func (s *Scanner) Fail(code, format string, args ...any) {
	if s.err == nil {
		s.fail(s.pos, code, format, args...)
		s.lost = false
	}
}

// FailWith records an error of the caller at the current position, unless there is one already. A
// *SyntaxError keeps its own position.
func (s *Scanner) FailWith(code string, err error) {
	if s.err != nil {
		return
	}
	var placed *SyntaxError
	if errors.As(err, &placed) {
		s.err = err
		return
	}
	s.Fail(code, "%s", err)
	if errors.As(s.err, &placed) {
		placed.Err = err
	}
}

// fail records an error at a position in the buffer.
func (s *Scanner) fail(at int, code, format string, args ...any) {
	if s.err != nil {
		return
	}
	s.lost = true
	before := s.buf[:at]
	line, start := s.line, s.lineAt
	if n := bytes.Count(before, newline); n > 0 {
		line += n
		start = s.base + int64(bytes.LastIndexByte(before, '\n')) + 1
	}
	offset := s.base + int64(at)
	s.err = &SyntaxError{
		Line: line + 1, Column: int(offset-start) + 1, Offset: offset,
		Expression: s.Expression(), Msg: fmt.Sprintf(format, args...), Code: code,
	}
}

// unexpected records an error about the byte at pos, where something else was expected.
func (s *Scanner) unexpected(wanted string) {
	if s.err != nil {
		return
	}
	if s.pos >= s.end {
		s.fail(s.pos, "structure", "the input ends where %s was expected", wanted)
		return
	}
	found := showByte(s.buf[s.pos])
	if s.Offset() == 0 {
		switch s.buf[s.pos] {
		case 0xef:
			found = "a byte order mark; save the text without one"
		case 0xfe, 0xff:
			found = "UTF-16; save the text as UTF-8"
		}
	}
	s.fail(s.pos, "structure", "expected %s, found %s", wanted, found)
}

// showByte describes a byte for messages.
func showByte(c byte) string {
	switch {
	case c >= 0x20 && c < 0x7f:
		return fmt.Sprintf("%q", rune(c))
	case c == '\t':
		return "a tab"
	case c == '\n', c == '\r':
		return "a line break"
	case c < 0x80:
		return "a control character"
	}
	return "a character outside ASCII"
}

// Expression returns the FHIRPath of the current element: "CodeSystem.concept[12].code". For very
// deep nesting the middle is omitted.
func (s *Scanner) Expression() string {
	const shown = 24 // frames at either end
	b := append(make([]byte, 0, 64), s.root...)
	for i := range s.frames {
		f := &s.frames[i]
		if i >= shown && i < len(s.frames)-shown {
			if i == shown {
				b = append(b, ".…"...)
			}
			continue
		}
		if f.n == 0 {
			continue
		}
		if f.array {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(f.n-1), 10)
			b = append(b, ']')
			continue
		}
		if len(b) > 0 {
			b = append(b, '.')
		}
		// The current name of this object is the last before those of the next object.
		last := len(s.ends)
		if i+1 < len(s.frames) {
			last = s.frames[i+1].ends
		}
		b = appendShown(b, s.nameAt(last-1))
	}
	return string(b)
}

// maxShownName is the maximum number of bytes of a name in an expression.
const maxShownName = 80

// appendShown appends a name from the input in a form that is safe for messages.
func appendShown(b, name []byte) []byte {
	if len(name) > maxShownName {
		name = append(bytes.Clone(name[:maxShownName]), "…"...)
	}
	for _, c := range string(name) {
		if c < 0x20 || c == 0x7f {
			c = '\uFFFD'
		}
		b = append(b, string(c)...)
	}
	return b
}
