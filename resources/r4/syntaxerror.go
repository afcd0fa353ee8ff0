package r4

import (
	"fmt"
	"strings"
)

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
