// Package packed reads texts that are built into the program in the format .lzma.
package packed

import (
	"bytes"
	"errors"
	"fmt"
)

// Table returns the lines of a table whose columns were packed one after the other, which takes less
// space: each column with a line for each row, and NUL between columns.
func Table(file string) ([]byte, error) {
	packed, err := Text(file)
	if err != nil {
		return nil, err
	}
	columns := bytes.Split(packed, []byte{0})
	if len(columns[0]) == 0 {
		return nil, errors.New("the table is empty")
	}
	table := make([]byte, 0, len(packed))
	for len(columns[0]) > 0 {
		for i := range columns {
			field, rest, found := bytes.Cut(columns[i], []byte{'\n'})
			if !found {
				return nil, errors.New("the columns of a table have different lengths")
			}
			columns[i] = rest
			table = append(table, field...)
			table = append(table, '\t')
		}
		table[len(table)-1] = '\n'
	}
	return table, nil
}

// Apart is the byte that stands for a string in Lines that were taken apart.
const Apart = 1

// Lines returns lines of JSON that were taken apart, which takes less space: the lines with the byte
// Apart in place of each string that is the value of a name, and then for each name NUL, the name, and
// the strings, each after a line break.
func Lines(file string) ([]byte, error) {
	text, err := Text(file)
	if err != nil {
		return nil, err
	}
	parts := bytes.Split(text, []byte{0})
	values := map[string][]byte{}
	for _, part := range parts[1:] {
		name, rest, _ := bytes.Cut(part, []byte{'\n'})
		values[string(name)] = rest
	}
	lines := make([]byte, 0, 2*len(text))
	var name []byte // the last
	for at := 0; at < len(parts[0]); at++ {
		switch c := parts[0][at]; c {
		case '"':
			end := bytes.IndexByte(parts[0][at+1:], '"')
			if end < 0 {
				return nil, errors.New("a name has no end")
			}
			name = parts[0][at+1 : at+1+end]
			lines = append(lines, parts[0][at:at+end+2]...)
			at += end + 1
		case Apart:
			value, rest, found := bytes.Cut(values[string(name)], []byte{'\n'})
			if !found {
				return nil, fmt.Errorf("%q has too few strings", name)
			}
			values[string(name)] = rest
			lines = append(append(append(lines, '"'), value...), '"')
		default:
			lines = append(lines, c)
		}
	}
	return lines, nil
}
