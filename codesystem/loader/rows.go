package loader

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxRow bounds a row of a table in bytes. Otherwise a quote that is never closed would make the
// rest of the file one field.
const maxRow = 16 << 20

// Rows reads a table of comma-separated values (RFC 4180) whose first row names the
// columns. Every row must have as many fields as the first, in UTF-8; a byte order mark
// is passed over.
//
//	for rows.Next() {
//		use(rows.Text(code), rows.Text(display))
//	}
//	return rows.Err()
type Rows struct {
	stream *Stream
	gate   gate
	csv    *csv.Reader
	header []string
	record []string
	err    error
}

// Rows opens a file as a table with fields separated by comma. The Rows must be closed. An empty
// file is an error: ErrFormat.
func (r *Reading) Rows(f *File, comma rune) (*Rows, error) {
	s, err := r.Open(f)
	if err != nil {
		return nil, err
	}
	rows, err := NewRows(s, comma)
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return rows, nil
}

// NewRows reads a stream as Reading.Rows does. Closing the Rows closes the stream.
func NewRows(s *Stream, comma rune) (*Rows, error) {
	rows := &Rows{stream: s, gate: gate{in: bufio.NewReaderSize(s, 64<<10)}}
	if mark, _ := rows.gate.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = rows.gate.in.Discard(3)
	}
	rows.csv = csv.NewReader(&rows.gate)
	rows.csv.Comma, rows.csv.ReuseRecord = comma, true
	if !rows.Next() {
		if rows.err == nil {
			rows.err = fmt.Errorf("%s: %w: it is empty", s.Origin(), ErrFormat)
		}
		return nil, rows.err
	}
	rows.header = append(rows.header, rows.record...)
	return rows, nil
}

// Column returns the number of the column with a name, without regard to case, or -1.
func (r *Rows) Column(name string) int {
	for i, h := range r.header {
		if strings.EqualFold(strings.TrimSpace(h), name) {
			return i
		}
	}
	return -1
}

// Header returns the names of the columns. It must not be modified.
func (r *Rows) Header() []string { return r.header }

// Next advances to the next row. It returns false at the end and after an error.
func (r *Rows) Next() bool {
	if r.err != nil {
		return false
	}
	r.gate.open = r.csv.InputOffset() + maxRow
	record, err := r.csv.Read()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.err = r.explain(err)
		}
		return false
	}
	r.record = record
	for _, field := range record {
		if !utf8.ValidString(field) {
			r.err = fmt.Errorf("%s: %w: not UTF-8", r.Where(), ErrFormat)
			return false
		}
	}
	return true
}

// explain adds the place to an error.
func (r *Rows) explain(err error) error {
	var bad *csv.ParseError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: line %d: %w: %w", r.stream.Origin(), bad.Line, ErrFormat, bad.Err)
	}
	return fmt.Errorf("%s: %w", r.stream.Origin(), err)
}

// Text returns a field of the row without surrounding white space, or "" for column -1. It shares
// the memory of its row: clone what is kept from long rows.
func (r *Rows) Text(column int) string {
	if column < 0 || column >= len(r.record) {
		return ""
	}
	return strings.TrimSpace(r.record[column])
}

// Origin returns the place of the table.
func (r *Rows) Origin() Origin { return r.stream.Origin() }

// Where returns the place of the row for messages: "file.csv: line 12".
func (r *Rows) Where() string {
	return fmt.Sprintf("%s: line %d", r.stream.Origin(), r.Line())
}

// Line returns the line on which the row begins, counted from 1.
func (r *Rows) Line() int {
	if len(r.record) == 0 {
		return 0
	}
	line, _ := r.csv.FieldPos(0)
	return line
}

// Err returns the error that ended the rows, or nil after the last row.
func (r *Rows) Err() error { return r.err }

// Close closes the stream.
func (r *Rows) Close() error { return r.stream.Close() }

// A gate returns the bytes of a stream up to a limit that moves on with each row.
type gate struct {
	in          *bufio.Reader
	given, open int64
}

// Read returns an error when a row is too long.
func (g *gate) Read(p []byte) (int, error) {
	if g.given > g.open {
		return 0, fmt.Errorf("%w: a row of more than %d bytes", ErrTooLarge, maxRow)
	}
	n, err := g.in.Read(p)
	g.given += int64(n)
	return n, err
}
