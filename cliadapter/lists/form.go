package lists

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/cliadapter/command"
)

// A Kind is the type of the values of a field.
type Kind uint8

// The kinds of fields.
const (
	Text   Kind = iota
	Number      // an integer
	Bool        // true, false, or empty
	List        // texts, which a cell of a table has with | between them
)

// A Field is a column of answers.
type Field struct {
	Name string
	Kind Kind
	// Wide is true for a field that tables for people leave out.
	Wide bool
}

// A Value is the value of a field. An empty value is left out where the form permits it.
type Value struct {
	Text string
	List []string // of a List
}

// ListSeparator separates the texts of a List in a cell.
const ListSeparator = "|"

// Cell returns a value as a cell of a table.
func (v *Value) Cell() string {
	if len(v.List) > 0 {
		return strings.Join(v.List, ListSeparator)
	}
	return v.Text
}

// Empty reports whether there is no value.
func (v *Value) Empty() bool { return v.Text == "" && len(v.List) == 0 }

// A Form writes answers: rows of values of the same fields.
type Form interface {
	// Begin writes what comes before the first row.
	Begin() error
	// AppendRow appends a row to dst. It may be called by several goroutines.
	AppendRow(dst []byte, row []Value) []byte
	// Write writes rows that AppendRow appended.
	Write(rows []byte) error
	// End writes what comes behind the last row.
	End() error
}

// Forms returns the names of all forms.
func Forms() []string { return []string{"table", "csv", "tsv", "ndjson", "json"} }

// Output is where answers go.
type Output struct {
	W io.Writer
	// Terminal is true if W is a terminal. Control characters are then replaced.
	Terminal bool
	// Table writes rows of a table for people. The header is nil for all but the first rows.
	Table func(header []string, rows [][]string) error
}

// NewForm returns the form of a name: one of Forms.
func NewForm(name string, out Output, fields []Field) Form {
	base := form{Output: out, fields: fields}
	switch name {
	case "csv":
		return &tableForm{base, ','}
	case "tsv":
		return &tableForm{base, '\t'}
	case "ndjson":
		return &jsonForm{form: base}
	case "json":
		return &jsonForm{form: base, array: true}
	}
	return &peopleForm{form: base}
}

// A form has what all forms have.
type form struct {
	Output
	fields []Field
}

func (f *form) write(text []byte) error { return command.Write(f.W, text) }

// A tableForm writes a table of comma- or tab-separated values with a header.
type tableForm struct {
	form
	delimiter byte
}

func (f *tableForm) Begin() error {
	var header []byte
	for i := range f.fields {
		if i > 0 {
			header = append(header, f.delimiter)
		}
		header = AppendCell(header, f.fields[i].Name, f.delimiter)
	}
	return f.write(append(header, '\n'))
}

func (f *tableForm) AppendRow(dst []byte, row []Value) []byte {
	for i := range row {
		if i > 0 {
			dst = append(dst, f.delimiter)
		}
		cell := row[i].Cell()
		if f.Terminal {
			cell = command.Printable(cell)
		}
		dst = AppendCell(dst, cell, f.delimiter)
	}
	return append(dst, '\n')
}

func (f *tableForm) Write(rows []byte) error { return f.write(rows) }

func (f *tableForm) End() error { return nil }

// A jsonForm writes objects: in an array, or one on each line. Empty values are left out.
type jsonForm struct {
	form
	array, more bool
}

func (f *jsonForm) Begin() error {
	if f.array {
		return f.write([]byte("["))
	}
	return nil
}

func (f *jsonForm) AppendRow(dst []byte, row []Value) []byte {
	if f.array {
		dst = append(dst, ",\n"...)
	}
	from := len(dst)
	dst = append(dst, '{')
	for i := range row {
		if row[i].Empty() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = AppendMember(dst, &f.fields[i], &row[i])
	}
	dst = append(dst, '}')
	if f.Terminal {
		dst = append(dst[:from], command.Escaped(dst[from:])...)
	}
	if !f.array {
		dst = append(dst, '\n')
	}
	return dst
}

func (f *jsonForm) Write(rows []byte) error {
	if f.array && !f.more {
		f.more = true
		rows = rows[1:] // the comma before the first object
	}
	return f.write(rows)
}

func (f *jsonForm) End() error {
	if f.array {
		return f.write([]byte("\n]\n"))
	}
	return nil
}

// AppendMember appends a member of an object of JSON. A List is always an array.
func AppendMember(dst []byte, f *Field, v *Value) []byte {
	dst = appendString(dst, f.Name)
	dst = append(dst, ':')
	switch {
	case f.Kind == List:
		dst = append(dst, '[')
		for i, text := range v.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, text)
		}
		return append(dst, ']')
	case v.Text == "":
		return append(dst, "null"...)
	case f.Kind == Number || f.Kind == Bool:
		return append(dst, v.Text...)
	}
	return appendString(dst, v.Text)
}

// appendString appends a string of JSON.
func appendString(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(dst, text)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string is always encoded
	return append(dst, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// A peopleForm writes a table for people, in parts: columns are aligned within a part and become
// wider if a later part needs it.
type peopleForm struct {
	form
	widths []int
	header []string
}

// Separators of cells and rows between AppendRow and Write. Cells have no control characters.
const (
	unitSeparator   = "\x1f"
	recordSeparator = "\x1e"
)

// maxWidth is the number of characters up to which a cell widens its column in the parts that
// follow.
const maxWidth = 60

func (f *peopleForm) Begin() error {
	for i := range f.fields {
		if !f.fields[i].Wide {
			f.header = append(f.header, strings.ToUpper(strings.ReplaceAll(f.fields[i].Name, "_", " ")))
		}
	}
	f.widths = make([]int, len(f.header))
	return nil
}

func (f *peopleForm) AppendRow(dst []byte, row []Value) []byte {
	first := true
	for i := range row {
		if f.fields[i].Wide {
			continue
		}
		if !first {
			dst = append(dst, unitSeparator...)
		}
		first = false
		dst = append(dst, command.Printable(row[i].Cell())...)
	}
	return append(dst, recordSeparator...)
}

func (f *peopleForm) Write(text []byte) error {
	var rows [][]string
	for row := range strings.SplitSeq(strings.TrimSuffix(string(text), recordSeparator), recordSeparator) {
		rows = append(rows, strings.Split(row, unitSeparator))
	}
	for column, width := range f.widths {
		rows[0][column] = fmt.Sprintf("%-*s", width, rows[0][column])
		for _, row := range rows {
			if n := utf8.RuneCountInString(row[column]); n <= maxWidth {
				f.widths[column] = max(f.widths[column], n)
			}
		}
		if f.header != nil {
			f.widths[column] = max(f.widths[column], len(f.header[column]))
		}
	}
	header := f.header
	f.header = nil
	return f.Table(header, rows)
}

func (f *peopleForm) End() error { return nil }

// Truth returns a Bool.
func Truth(yes bool) Value { return Value{Text: strconv.FormatBool(yes)} }
