package lists

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// An Item is what a record asks about. Its texts have no blanks around them; those that the record
// does not have are empty.
type Item struct {
	Line                     int
	Codes                    [2]string // the code, or the two codes
	System, Version, Display string
}

// Reasons why a record has no item.
var (
	ErrShort    = errors.New("the line has too few cells")
	ErrNotUTF8  = errors.New("the line is not UTF-8")
	ErrTwoCodes = errors.New("the line must have two codes, with a tab or blanks between them")
	ErrSystems  = errors.New("the two codes are of two code systems")
	ErrJSON     = errors.New("the line is not what is expected in JSON")
)

// A Picker takes the items out of records. It is not safe for concurrent use.
type Picker struct {
	layout  *Layout
	cells   [][]byte
	members object
}

// Picker returns a new Picker.
func (l *Layout) Picker() *Picker { return &Picker{layout: l} }

// Pick reads the item of a record. Its errors do not name the line.
func (p *Picker) Pick(rec *Record, it *Item) error {
	*it = Item{Line: rec.Line}
	switch {
	case rec.Err != nil:
		return rec.Err
	case p.layout.format == NDJSON:
		return p.pickJSON(rec.Text, it)
	case p.layout.format == Lines:
		return p.pickLine(rec.Text, it)
	}
	p.cells = AppendCells(p.cells[:0], rec.Text, p.layout.Delimiter)
	return p.pickCells(it)
}

// Blank reports whether a record is a line with nothing on it; in a list that is no table, also
// with nothing but blanks.
func (p *Picker) Blank(rec *Record) bool {
	return rec.Blank() || p.layout.Delimiter == 0 && rec.Err == nil && len(bytes.TrimSpace(rec.Text)) == 0
}

// Has reports whether the object that was picked last has a member.
func (p *Picker) Has(name string) bool { return p.members[name] != nil }

// Members returns the number of members of the object that was picked last.
func (p *Picker) Members() int { return len(p.members) }

// Cells returns the number of cells of the record that was picked last, 0 if it is not of a table.
func (p *Picker) Cells() int { return len(p.cells) }

func (p *Picker) pickCells(it *Item) error {
	for part := range p.layout.places {
		at := &p.layout.places[part]
		if !at.given {
			continue
		}
		if at.column >= len(p.cells) {
			return fmt.Errorf("%w: %d, and column %d is needed", ErrShort, len(p.cells), at.column+1)
		}
		cell := bytes.TrimSpace(p.cells[at.column])
		if !utf8.Valid(cell) {
			return ErrNotUTF8
		}
		*it.part(part) = string(cell)
	}
	return nil
}

// pickLine reads a line with one code, or with two that a tab or blanks separate.
func (p *Picker) pickLine(text []byte, it *Item) error {
	text = bytes.TrimSpace(text)
	if !utf8.Valid(text) {
		return ErrNotUTF8
	}
	if p.layout.codes < 2 || len(text) == 0 {
		it.Codes[0] = string(text)
		return nil
	}
	a, b, found := bytes.Cut(text, []byte{'\t'})
	if !found {
		fields := bytes.Fields(text)
		if len(fields) != 2 {
			return ErrTwoCodes
		}
		a, b = fields[0], fields[1]
	}
	it.Codes = [2]string{string(bytes.TrimSpace(a)), string(bytes.TrimSpace(b))}
	if bytes.ContainsRune(b, '\t') || it.Codes[1] == "" {
		return ErrTwoCodes
	}
	return nil
}

// part returns a part of an item.
func (it *Item) part(part int) *string {
	switch part {
	case partCode, partCodeB:
		return &it.Codes[part]
	case partSystem:
		return &it.System
	case partVersion:
		return &it.Version
	}
	return &it.Display
}
