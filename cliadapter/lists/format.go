package lists

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Format is how a list of codes is written.
type Format string

// The formats of lists.
const (
	CSV    Format = "csv"    // RFC 4180, with a header unless stated otherwise
	TSV    Format = "tsv"    // the same with tabs
	Lines  Format = "lines"  // a code on each line
	NDJSON Format = "ndjson" // an object or string of JSON on each line
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{string(CSV), string(TSV), string(Lines), string(NDJSON)}
}

// endings lists the endings of file names by format.
var endings = [...]struct {
	format  Format
	endings []string
}{
	{CSV, []string{".csv"}},
	{TSV, []string{".tsv", ".tab"}},
	{NDJSON, []string{".ndjson", ".jsonl"}},
}

// FormatOf returns the format that the ending of a file name stands for, or "". The ending .gz is
// passed over.
func FormatOf(path string) Format {
	ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.ToLower(path), gzipEnding)))
	for _, row := range endings {
		if slices.Contains(row.endings, ending) {
			return row.format
		}
	}
	return ""
}

// Options say how a list is written.
type Options struct {
	// Name is the name of the list in messages.
	Name   string
	Format Format
	// Delimiter separates the cells of a table; 0 means the one of the format.
	Delimiter byte
	// NoHeader is true for a table whose first record is not the names of its columns.
	NoHeader bool
	// MaxRecord is the length of a record in bytes from which it counts as broken; 0 means
	// MaxRecord.
	MaxRecord int
}

// delimiter returns the byte between the cells of a table, 0 for formats that are no tables.
func (o Options) delimiter() byte {
	switch {
	case o.Format != CSV && o.Format != TSV:
		return 0
	case o.Delimiter != 0:
		return o.Delimiter
	case o.Format == TSV:
		return '\t'
	}
	return ','
}
