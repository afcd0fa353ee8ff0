package lists

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
)

// Columns name where in a record its parts are: by the name or number of a column of a table, or
// by the path of a member of an object. An empty name stands for the default of a code, and
// otherwise for none.
type Columns struct {
	Codes                    []Column // the code, or the two codes
	System, Version, Display Column
}

// A Column is the name of a column as a flag gave it.
type Column struct {
	Name string
	Flag string // "--column", for messages
}

// The parts of an item, in the order of Layout.places.
const (
	partCode = iota
	partCodeB
	partSystem
	partVersion
	partDisplay
	parts
)

// A place is where a part is found.
type place struct {
	given  bool
	column int      // of a table, from 0
	path   []string // of a member of JSON; nil for the line itself
	whole  string   // the name as it was given
}

// ErrNoHeader is returned for a table without records.
var ErrNoHeader = errors.New("there is no line; the first one should name the columns")

// A Layout says where in the records of a list its parts are.
type Layout struct {
	// Header has the names of the columns of a table, nil if there are none.
	Header []string
	// First is the record with the header as it is written, and Before the blank lines before it.
	First  Record
	Before []byte
	// Delimiter separates the cells of a table; 0 for other formats.
	Delimiter byte

	format Format
	codes  int
	places [parts]place
}

// Arrange reads the header of a table and finds the columns. A column that is not there is wrong
// usage. For other formats it reads nothing.
func Arrange(r *Reader, o Options, c Columns) (*Layout, error) {
	l := &Layout{format: o.Format, Delimiter: o.delimiter(), codes: len(c.Codes)}
	named := [parts]Column{partSystem: c.System, partVersion: c.Version, partDisplay: c.Display}
	copy(named[:], c.Codes)
	if l.Delimiter == 0 {
		return l, l.arrangeLines(&named)
	}
	if !o.NoHeader {
		if err := l.readHeader(r, o.Name); err != nil {
			return nil, err
		}
	}
	for part, column := range named {
		if column.Name == "" {
			continue
		}
		n, err := l.find(column)
		if err != nil {
			return nil, err
		}
		l.places[part] = place{given: true, column: n, whole: column.Name}
	}
	return l, l.guess(c.Codes)
}

// arrangeLines sets the places of a list that is no table.
func (l *Layout) arrangeLines(named *[parts]Column) error {
	for part, column := range named {
		switch {
		case column.Name == "":
		case l.format == Lines:
			return command.Usagef("%s names a column, but the list has a code on each line; say --input csv, tsv or ndjson if it is one", column.Flag)
		default:
			l.places[part] = place{given: true, path: strings.Split(column.Name, "."), whole: column.Name}
		}
	}
	return nil
}

// readHeader reads the names of the columns.
func (l *Layout) readHeader(r *Reader, name string) error {
	var rec Record
	for r.Next(&rec) {
		if rec.Blank() {
			l.Before = append(l.Before, rec.End...)
			continue
		}
		if rec.Err != nil {
			return fmt.Errorf("%s: line %d, which should name the columns: %w", name, rec.Line, rec.Err)
		}
		l.First = rec
		l.First.Text = slices.Clone(rec.Text)
		for _, cell := range AppendCells(nil, l.First.Text, l.Delimiter) {
			l.Header = append(l.Header, string(cell))
		}
		return nil
	}
	if r.Err() != nil {
		return r.Err()
	}
	return fmt.Errorf("%s: %w", name, ErrNoHeader)
}

// find returns the number of a column. Its name as it is written goes first, then its number, then
// its name in other letter case.
func (l *Layout) find(c Column) (int, error) {
	exact, similar, count := -1, -1, 0
	for i, name := range l.Header {
		switch {
		case name == c.Name && exact >= 0:
			return 0, command.Usagef("%s: the list has several columns %q; give the number of one, such as %d", c.Flag, c.Name, exact+1)
		case name == c.Name:
			exact = i
		case strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(c.Name)):
			similar = i
			count++
		}
	}
	n, err := strconv.Atoi(c.Name)
	switch {
	case exact >= 0:
		return exact, nil
	case err == nil && n >= 1 && (l.Header == nil || n <= len(l.Header)):
		return n - 1, nil
	case err == nil:
		return 0, command.Usagef("%s: there is no column %d; %s", c.Flag, n, l.counted())
	case l.Header == nil:
		return 0, command.Usagef("%s must be the number of a column with --no-header, not %q", c.Flag, c.Name)
	case count == 1:
		return similar, nil
	}
	return 0, command.Usagef("%s: there is no column %q%s; %s", c.Flag, c.Name, command.DidYouMean(command.Nearest(c.Name, l.Header)), l.counted())
}

// maxNames is the number of columns that a message names at most.
const maxNames = 20

// counted names the columns.
func (l *Layout) counted() string {
	if len(l.Header) == 0 {
		return "the first column is 1"
	}
	names := make([]string, 0, maxNames)
	for _, name := range l.Header[:min(len(l.Header), maxNames)] {
		names = append(names, strconv.Quote(name))
	}
	text := "the columns are " + strings.Join(names, ", ")
	if more := len(l.Header) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(l.Header) == 1 && strings.ContainsAny(l.Header[0], ";\t|") {
		text += "; --delimiter says what separates them"
	}
	return text
}

// usual are the names of columns that are looked for if none was given.
var usual = [...][]string{{"code"}, {"codea", "codeb"}}

// guess finds the columns of codes that were not named: those with the usual names, else the only
// ones.
func (l *Layout) guess(codes []Column) error {
	for part, column := range codes {
		if l.places[part].given {
			continue
		}
		n := -1
		for i, name := range l.Header {
			if !strings.EqualFold(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name), usual[len(codes)-1][part]) {
				continue
			}
			if n >= 0 {
				return command.Usagef("%s is missing: the columns %d, %q, and %d, %q, may have the codes; give the number of one", column.Flag, n+1, l.Header[n], i+1, name)
			}
			n = i
		}
		switch {
		case n >= 0:
		case l.Header == nil || len(l.Header) == len(codes):
			n = part
		default:
			return command.Usagef("%s is missing: which column has the codes? %s", column.Flag, l.counted())
		}
		l.places[part] = place{given: true, column: n}
	}
	return nil
}

// CodeColumn returns the name of the column of a code, as the header has it.
func (l *Layout) CodeColumn(part int) string {
	if n := l.places[part].column; n < len(l.Header) {
		return l.Header[n]
	}
	return ""
}
