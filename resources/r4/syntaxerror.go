package r4

import (
	"fmt"
	"strings"
)

// Limits bounds what the codec reads. A field that is zero or negative stands for the
// one of DefaultLimits.
type Limits struct {
	// MaxBytes is the largest input in bytes.
	MaxBytes int64
	// MaxDepth is the deepest nesting of JSON objects and arrays.
	MaxDepth int
	// MaxToken is the longest string, number or name, in bytes, that is held in memory.
	// Strings that are only checked and passed over may be longer.
	MaxToken int
}

// DefaultLimits returns the limits for single resources: 1 GiB, 8,192 levels of JSON,
// 16 MiB a string.
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

// A SyntaxError tells where a document is not the JSON or not the FHIR resource it
// should be. Every reading function of this package returns errors of this type,
// except for errors of the underlying io.Reader, which it wraps.
type SyntaxError struct {
	// Line and Column count from 1, Column in bytes; Offset is in bytes from 0.
	Line, Column int
	Offset       int64
	// Expression names the element, as in "ValueSet.compose.include[2].system"; it is
	// empty when the error lies outside any element.
	Expression string
	// Msg says what is wrong, without the place.
	Msg string
	// Code is of http://hl7.org/fhir/issue-type: structure for malformed or truncated
	// JSON and wrong types, value for contents that cannot be, required for elements that are
	// missing, too-long for limits exceeded, or what a caller of the Scanner says.
	Code string
	// Err is the error of a caller of the Scanner that Msg tells of, or nil.
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
