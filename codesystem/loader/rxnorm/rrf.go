package rxnorm

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader"
)

// maxLine bounds one line of a file in bytes.
const maxLine = 1 << 20

// rows reads a file in RRF: a line per row, and a bar after every field.
type rows struct {
	origin loader.Origin
	lines  *bufio.Scanner
	fields []string
	line   int
}

// next advances to the next row, which must have the fields of its file. It returns false at the
// end and with an error.
func (r *rows) next() (bool, error) {
	if !r.lines.Scan() {
		err := r.lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("%s: line %d: %w: more than %d bytes", r.origin, r.line+1, loader.ErrTooLarge, maxLine)
		} else if err != nil {
			err = fmt.Errorf("%s: %w", r.origin, err)
		}
		return false, err
	}
	r.line++
	text := r.lines.Text()
	if !utf8.ValidString(text) {
		return false, fmt.Errorf("%s: %w: not UTF-8", r.where(), loader.ErrFormat)
	}
	for i := range r.fields {
		field, rest, ended := strings.Cut(text, "|")
		if !ended && (rest != "" || i < len(r.fields)-1) {
			return false, fmt.Errorf("%s: %w: %d fields, want %d", r.where(), loader.ErrFormat, i+1, len(r.fields))
		}
		r.fields[i], text = field, rest
	}
	if text != "" {
		return false, fmt.Errorf("%s: %w: more than %d fields", r.where(), loader.ErrFormat, len(r.fields))
	}
	return true, nil
}

// where returns the place of the row: "RXNREL.RRF: line 12".
func (r *rows) where() string { return fmt.Sprintf("%s: line %d", r.origin, r.line) }

// file reads the rows of a file with a number of fields each.
func (l *load) file(f *loader.File, fields int, row func(r *rows) error) error {
	s, err := l.reading.Open(f)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	r := &rows{origin: f.Origin, lines: bufio.NewScanner(s), fields: make([]string, fields)}
	r.lines.Buffer(make([]byte, 64<<10), maxLine)
	for {
		ok, err := r.next()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		if err := row(r); err != nil {
			return err
		}
	}
}
